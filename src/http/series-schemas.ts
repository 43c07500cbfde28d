/** The wire shapes of series, their terms and corrections. */
import Type from 'typebox';
import { maxCorrections } from '../reading/correction-jobs.ts';
import { seriesRefusals } from '../series/match-corrections.ts';
import { maxStyleCharacters, maxTitleCharacters } from '../series/series-request.ts';
import { Conflicting, ConflictList, Exported } from './correction-schemas.ts';
import { named } from './schemas.ts';

const timestamp = { format: 'date-time', description: 'ISO 8601, UTC.' };
const nullableString = Type.Union([Type.String(), Type.Null()]);
const metadata = Type.Record(Type.String(), Type.String(), { description: 'What you sent as `metadata`.' });
const title = Type.String({ minLength: 1, maxLength: maxTitleCharacters });

export const SeriesSchema = named(
  'Series',
  Type.Object(
    {
      series_id: Type.String({ description: '`ser_` and 26 characters.' }),
      title: Type.String(),
      source_lang: Type.Union([Type.String(), Type.Null()], { description: 'Null: detected for every volume.' }),
      target_lang: Type.String(),
      style: nullableString,
      metadata,
      created_at: Type.String(timestamp),
      counts: Type.Optional(
        Type.Object(
          {
            tasks: Type.Integer(),
            terms: Type.Integer(),
            remembered_paragraphs: Type.Integer(),
            remembered_characters: Type.Integer({ description: 'Of their sources.' }),
          },
          { description: 'Not in lists.' },
        ),
      ),
      livemode: Type.Optional(Type.Literal(false, { description: 'Only on series of a test key.' })),
    },
    { additionalProperties: false },
  ),
);

export const SeriesList = Type.Object({
  series: Type.Array(SeriesSchema),
  next_cursor: nullableString,
});

const newSeries = {
  title,
  target_lang: Type.String({ description: 'BCP-47 code from GET /languages.' }),
  source_lang: Type.Optional(Type.String({ description: 'BCP-47 code; default `auto`.' })),
  style: Type.Optional(
    Type.String({ maxLength: maxStyleCharacters, description: 'How its books shall read, in your words.' }),
  ),
};
export const SeriesForm = named(
  'SeriesForm',
  Type.Object(
    { ...newSeries, metadata: Type.Optional(Type.String({ description: 'JSON object of up to 16 strings.' })) },
    { additionalProperties: false },
  ),
);
export const NewSeries = named(
  'NewSeries',
  Type.Object(
    { ...newSeries, metadata: Type.Optional(Type.Record(Type.String(), Type.String())) },
    { additionalProperties: false },
  ),
);

export const SeriesChange = named(
  'SeriesChange',
  Type.Object(
    {
      title: Type.Optional(title),
      style: Type.Optional(
        Type.Union([Type.String({ minLength: 1, maxLength: maxStyleCharacters }), Type.Null()], {
          description: 'Null takes it away. Another style makes every paragraph new.',
        }),
      ),
      metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
);

export const SeriesTermPage = Type.Object({
  terms: Type.Array(
    named(
      'SeriesTerm',
      Type.Object(
        {
          source: Type.String(),
          target: Type.String(),
          type: Type.String(),
          gender: Type.String(),
          aliases: Type.Array(Type.String()),
          note: nullableString,
          origin: Type.String({
            enum: ['supplied', 'extracted', 'corrected'],
            description: '`supplied` and `corrected` terms decide over what is found in the book.',
          }),
          first_task_id: nullableString,
          occurrences: Type.Integer(),
        },
        { additionalProperties: false },
      ),
    ),
  ),
  next_cursor: nullableString,
});

/** So that a list which was read can be sent back. */
const ignored = { description: 'Ignored: as GET shows it.' };
const ignoredWhenSet = {
  origin: Type.Optional(Type.String(ignored)),
  first_task_id: Type.Optional(Type.Union([Type.String(), Type.Null()], ignored)),
  occurrences: Type.Optional(Type.Integer(ignored)),
};

export const TermsToSet = named(
  'TermsToSet',
  Type.Object(
    {
      terms: Type.Array(
        Type.Object(
          {
            source: Type.String(),
            target: Type.String(),
            type: Type.Optional(Type.String()),
            gender: Type.Optional(Type.String()),
            aliases: Type.Optional(Type.Array(Type.String())),
            case_sensitive: Type.Optional(Type.Boolean()),
            note: Type.Optional(nullableString),
            ...ignoredWhenSet,
          },
          { additionalProperties: false },
        ),
        {
          minItems: 1,
          description:
            'What is left out of a term that the series has stays as it is. A term that is set to what it is changes nothing.',
        },
      ),
    },
    { additionalProperties: false },
  ),
);

export const TermsSet = Type.Object({ terms: Type.Integer({ description: 'How many were set.' }) });

export const Corrections = Type.Array(
  named(
    'Correction',
    Type.Object(
      {
        source: Type.String({
          minLength: 1,
          description: 'The paragraph of the source, with its inline tags or without any.',
        }),
        target: Type.String({ description: 'The paragraph as it should read, with the tags of `source`.' }),
        exported: Exported,
      },
      { additionalProperties: false },
    ),
  ),
  { minItems: 1, maxItems: maxCorrections },
);

export const CorrectionCounts = named(
  'CorrectionCounts',
  Type.Object({
    taken: Type.Integer(),
    unchanged: Type.Integer({ description: 'What the series would have delivered anyway.' }),
    refused: Type.Integer(),
    refusals: Type.Array(
      Type.Object({
        index: Type.Integer(),
        unit: Type.Optional(Type.String({ description: 'The id of the unit in a file.' })),
        reason: Type.String({ enum: [...seriesRefusals] }),
      }),
      { description: 'The first hundred: their place in what was sent, from 0, and why.' },
    ),
    conflicting: Conflicting,
    conflicts: ConflictList,
    terms: Type.Array(Type.Object({ source: Type.String(), target: Type.String() }), {
      description:
        'Names that are corrected in every paragraph of every book of the series that has them: terms of the series from now on.',
    }),
  }),
);
