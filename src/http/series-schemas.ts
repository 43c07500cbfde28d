/** The wire shapes of series, their terms and corrections. */
import Type from 'typebox';
import { maxCorrections } from '../reading/correction-jobs.ts';
import { seriesRefusals } from '../series/match-corrections.ts';
import { maxStyleCharacters, maxTitleCharacters } from '../series/series-request.ts';
import { Conflicting, ConflictList, Exported } from './correction-schemas.ts';
import { exact, integer, named, namedExact, optionalInteger, optionalText, orNull, Timestamp, text } from './shapes.ts';

const metadata = Type.Record(Type.String(), Type.String(), { description: 'What you sent as `metadata`.' });
const title = Type.String({ minLength: 1, maxLength: maxTitleCharacters });

export const SeriesSchema = namedExact('Series', {
  series_id: text('`ser_` and 26 characters.'),
  title: Type.String(),
  source_lang: orNull(Type.String(), 'Null: detected for every volume.'),
  target_lang: Type.String(),
  style: orNull(Type.String()),
  metadata,
  created_at: Timestamp,
  counts: Type.Optional(
    Type.Object(
      {
        tasks: Type.Integer(),
        terms: Type.Integer(),
        remembered_paragraphs: Type.Integer(),
        remembered_characters: integer('Of their sources.'),
      },
      { description: 'Not in lists.' },
    ),
  ),
  livemode: Type.Optional(Type.Literal(false, { description: 'Only on series of a test key.' })),
});

export const SeriesList = Type.Object({
  series: Type.Array(SeriesSchema),
  next_cursor: orNull(Type.String()),
});

const newSeries = {
  title,
  target_lang: text('BCP-47 code from GET /languages.'),
  source_lang: optionalText('BCP-47 code; default `auto`.'),
  style: optionalText({ maxLength: maxStyleCharacters, description: 'How its books shall read, in your words.' }),
};
export const SeriesForm = namedExact('SeriesForm', {
  ...newSeries,
  metadata: optionalText('JSON object of up to 16 strings.'),
});
export const NewSeries = namedExact('NewSeries', {
  ...newSeries,
  metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
});

export const SeriesChange = namedExact(
  'SeriesChange',
  {
    title: Type.Optional(title),
    style: Type.Optional(
      orNull(
        Type.String({ minLength: 1, maxLength: maxStyleCharacters }),
        'Null takes it away. Another style makes every paragraph new.',
      ),
    ),
    metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { minProperties: 1 },
);

export const SeriesTermPage = Type.Object({
  terms: Type.Array(
    namedExact('SeriesTerm', {
      source: Type.String(),
      target: Type.String(),
      type: Type.String(),
      gender: Type.String(),
      aliases: Type.Array(Type.String()),
      note: orNull(Type.String()),
      origin: Type.String({
        enum: ['supplied', 'extracted', 'corrected'],
        description: '`supplied` and `corrected` terms decide over what is found in the book.',
      }),
      first_task_id: orNull(Type.String()),
      occurrences: Type.Integer(),
    }),
  ),
  next_cursor: orNull(Type.String()),
});

/** So that a list which was read can be sent back. */
const ignored = { description: 'Ignored: as GET shows it.' };
const ignoredWhenSet = {
  origin: optionalText(ignored),
  first_task_id: Type.Optional(Type.Union([Type.String(), Type.Null()], ignored)),
  occurrences: optionalInteger(ignored),
};

export const TermsToSet = namedExact('TermsToSet', {
  terms: Type.Array(
    exact({
      source: Type.String(),
      target: Type.String(),
      type: optionalText(),
      gender: optionalText(),
      aliases: Type.Optional(Type.Array(Type.String())),
      case_sensitive: Type.Optional(Type.Boolean()),
      note: Type.Optional(orNull(Type.String())),
      ...ignoredWhenSet,
    }),
    {
      minItems: 1,
      description:
        'What is left out of a term that the series has stays as it is. A term that is set to what it is changes nothing.',
    },
  ),
});

export const TermsSet = Type.Object({ terms: integer('How many were set.') });

export const Corrections = Type.Array(
  namedExact('Correction', {
    source: Type.String({
      minLength: 1,
      description: 'The paragraph of the source, with its inline tags or without any.',
    }),
    target: text('The paragraph as it should read, with the tags of `source`.'),
    exported: Exported,
  }),
  { minItems: 1, maxItems: maxCorrections },
);

export const CorrectionCounts = named('CorrectionCounts', {
  taken: Type.Integer(),
  unchanged: integer('What the series would have delivered anyway.'),
  refused: Type.Integer(),
  refusals: Type.Array(
    Type.Object({
      index: Type.Integer(),
      unit: optionalText('The id of the unit in a file.'),
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
});
