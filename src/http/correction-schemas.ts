/** The wire shapes of corrections, of tasks and of series. */
import Type from 'typebox';
import { listedUnits } from '../correction.ts';
import { unitRefusals } from '../interchange/match-corrections.ts';
import { maxUnits } from '../reading/correction-jobs.ts';
import { exact, integer, named, namedExact, optionalText, text } from './shapes.ts';

export const ConflictList = Type.Array(
  named('CorrectionConflict', {
    unit: text('The unit id, or the beginning of its source.'),
    current: text('The beginning of what the paragraph says now.'),
    sent: text('The beginning of what was sent.'),
  }),
  { description: `The first ${listedUnits}.` },
);
export const Conflicting = integer(
  'Paragraphs that somebody else has corrected since they were exported: what is there stays, unless `on_conflict=replace` is asked for.',
);
export const OnConflict = exact({
  on_conflict: optionalText({
    enum: ['keep', 'replace'],
    default: 'keep',
    description: 'What becomes of a paragraph that somebody else has corrected since it was exported.',
  }),
});
export const Exported = optionalText(
  'The translation that the correction was made from. If the paragraph says something else by now, it is a conflict.',
);

export const CorrectionResult = namedExact('CorrectionResult', {
  taken: integer('Paragraphs whose translation is now the corrected one.'),
  unchanged: integer('Paragraphs that came back as they were.'),
  refused: integer('Units that were not taken; `refusals` says why.'),
  refusals: Type.Array(
    Type.Object({
      unit: text('The unit id, or the beginning of its source.'),
      reason: Type.String({ enum: [...unitRefusals] }),
    }),
    { description: `The first ${listedUnits}.` },
  ),
  conflicting: Conflicting,
  conflicts: ConflictList,
  approved: integer(
    'Paragraphs whose unit is `final` or `approved` in XLIFF and as it was translated: an editor has looked at them.',
  ),
});

export const CorrectionList = namedExact('CorrectionList', {
  corrections: Type.Array(
    exact({
      block_id: optionalText({ maxLength: 64 }),
      source: text('The paragraph as it is in the source.'),
      target: text('Its corrected translation.'),
      exported: Exported,
    }),
    { maxItems: maxUnits },
  ),
});

export const ParagraphHistory = named('ParagraphHistory', {
  block_id: Type.String(),
  source: Type.String(),
  machine: text('What was translated.'),
  current: text('What is delivered now.'),
  corrected: Type.Boolean(),
  earlier: Type.Array(Type.Object({ text: Type.String(), saved_at: Type.String({ format: 'date-time' }) }), {
    description: 'Earlier corrections, the latest first; the last ten are kept.',
  }),
});
