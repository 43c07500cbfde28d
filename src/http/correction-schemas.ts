/** The wire shapes of corrections, of tasks and of series. */
import Type from 'typebox';
import { listedUnits } from '../correction.ts';
import { unitRefusals } from '../interchange/match-corrections.ts';
import { maxUnits } from '../reading/correction-jobs.ts';
import { named } from './schemas.ts';

export const ConflictList = Type.Array(
  named(
    'CorrectionConflict',
    Type.Object({
      unit: Type.String({ description: 'The unit id, or the beginning of its source.' }),
      current: Type.String({ description: 'The beginning of what the paragraph says now.' }),
      sent: Type.String({ description: 'The beginning of what was sent.' }),
    }),
  ),
  { description: `The first ${listedUnits}.` },
);
export const Conflicting = Type.Integer({
  description:
    'Paragraphs that somebody else has corrected since they were exported: what is there stays, unless `on_conflict=replace` is asked for.',
});
export const OnConflict = Type.Object(
  {
    on_conflict: Type.Optional(
      Type.String({
        enum: ['keep', 'replace'],
        default: 'keep',
        description: 'What becomes of a paragraph that somebody else has corrected since it was exported.',
      }),
    ),
  },
  { additionalProperties: false },
);
export const Exported = Type.Optional(
  Type.String({
    description:
      'The translation that the correction was made from. If the paragraph says something else by now, it is a conflict.',
  }),
);

export const CorrectionResult = named(
  'CorrectionResult',
  Type.Object(
    {
      taken: Type.Integer({ description: 'Paragraphs whose translation is now the corrected one.' }),
      unchanged: Type.Integer({ description: 'Paragraphs that came back as they were.' }),
      refused: Type.Integer({ description: 'Units that were not taken; `refusals` says why.' }),
      refusals: Type.Array(
        Type.Object({
          unit: Type.String({ description: 'The unit id, or the beginning of its source.' }),
          reason: Type.String({ enum: [...unitRefusals] }),
        }),
        { description: `The first ${listedUnits}.` },
      ),
      conflicting: Conflicting,
      conflicts: ConflictList,
      approved: Type.Integer({
        description:
          'Paragraphs whose unit is `final` or `approved` in XLIFF and as it was translated: an editor has looked at them.',
      }),
    },
    { additionalProperties: false },
  ),
);

export const CorrectionList = named(
  'CorrectionList',
  Type.Object(
    {
      corrections: Type.Array(
        Type.Object(
          {
            block_id: Type.Optional(Type.String({ maxLength: 64 })),
            source: Type.String({ description: 'The paragraph as it is in the source.' }),
            target: Type.String({ description: 'Its corrected translation.' }),
            exported: Exported,
          },
          { additionalProperties: false },
        ),
        { maxItems: maxUnits },
      ),
    },
    { additionalProperties: false },
  ),
);

export const ParagraphHistory = named(
  'ParagraphHistory',
  Type.Object({
    block_id: Type.String(),
    source: Type.String(),
    machine: Type.String({ description: 'What was translated.' }),
    current: Type.String({ description: 'What is delivered now.' }),
    corrected: Type.Boolean(),
    earlier: Type.Array(Type.Object({ text: Type.String(), saved_at: Type.String({ format: 'date-time' }) }), {
      description: 'Earlier corrections, the latest first; the last ten are kept.',
    }),
  }),
);
