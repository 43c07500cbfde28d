import Type from 'typebox';
import { badRequest } from '../../errors.ts';
import { parseMetadata } from '../../partner-metadata.ts';
import type { Db } from '../../platform/postgres.ts';
import type { CorrectionDependencies } from '../../reading/correct-task.ts';
import { seriesView } from '../../series/series.ts';
import {
  checkText,
  createSeries,
  maxStyleCharacters,
  maxTitleCharacters,
  parseSeriesRequest,
  seriesFieldNames,
} from '../../series/series-request.ts';
import { replaceSheet, sheetBounds, sheetFieldNames, showSheet } from '../../series/series-sheet.ts';
import { countsOf, deleteSeries, findSeries, pageOfSeries, updateSeries } from '../../series/series-store.ts';
import { success } from '../envelope.ts';
import { callingOwner } from '../guard.ts';
import { leaveUnread, unvalidated, withOwnParsers } from '../own-bodies.ts';
import { answers, bodyErrors, created, operation, pageQuery, SeriesId } from '../schemas.ts';
import type { Server } from '../server.ts';
import { exact, integer, namedExact, optionalText, orNull, Timestamp, text } from '../shapes.ts';
import { readUpload } from '../upload/read-upload.ts';
import { uploadLimits } from '../upload/upload-limits.ts';
import { registerSeriesCorrectionRoutes } from './correction-routes.ts';
import { registerSeriesTermRoutes, type SeriesTermRouteDependencies } from './series-term-routes.ts';

export type SeriesRouteDependencies = SeriesTermRouteDependencies & CorrectionDependencies;

export function registerSeriesRoutes(server: Server, deps: SeriesRouteDependencies): void {
  registerCreate(server, deps);
  registerSeries(server, deps);
  registerSeriesTermRoutes(server, deps);
  registerSheet(server, deps);
  registerSeriesCorrectionRoutes(server, deps);
}

function registerCreate(server: Server, { db, limits }: SeriesRouteDependencies): void {
  withOwnParsers(server, (scope) => {
    leaveUnread(scope);
    scope.post(
      '/series',
      {
        ...unvalidated,
        ...operation('Series', 'createSeries', 'Create a series', {
          description:
            'A story that goes on: its tasks share names and terms, and what one of them translated the next ones deliver without charge.',
          body: {
            content: {
              'application/json': { schema: NewSeries },
              'multipart/form-data': { schema: SeriesForm },
              'application/x-www-form-urlencoded': { schema: SeriesForm },
            },
          },
          response: created(SeriesSchema, 'The series.', ...bodyErrors),
        }),
      },
      async (request, reply) => {
        const { fields } = await readUpload(
          { headers: request.headers, stream: request.raw },
          {
            limits: uploadLimits(limits),
            sink: async () => {
              throw badRequest('A series has no file; send its tasks their files.', { field: 'file' });
            },
            discard: async () => {},
            fieldNames: new Set<string>(seriesFieldNames),
          },
        );
        const series = await createSeries(db, callingOwner(request), parseSeriesRequest(fields));
        return reply.status(201).send(success(seriesView(series)));
      },
    );
  });
}

function registerSeries(server: Server, { db }: SeriesRouteDependencies): void {
  server.get(
    '/series',
    operation('Series', 'listSeries', 'List your series, newest first', {
      querystring: exact(pageQuery),
      response: answers(SeriesList, 'A page of series.'),
    }),
    async (request) => {
      const { limit = 20, cursor } = request.query;
      const { series, nextCursor } = await pageOfSeries(db, callingOwner(request), { limit, cursor });
      return success({ series: series.map((one) => seriesView(one)), next_cursor: nextCursor });
    },
  );

  server.get(
    '/series/:series_id',
    operation('Series', 'getSeries', 'Show a series with what it holds', {
      params: SeriesId,
      response: answers(SeriesSchema, 'The series.', 'NOT_FOUND'),
    }),
    async (request) => {
      const series = await findSeries(db, callingOwner(request), request.params.series_id);
      return success(seriesView(series, await countsOf(db, series)));
    },
  );

  server.patch(
    '/series/:series_id',
    operation('Series', 'updateSeries', 'Change the title, style or metadata of a series', {
      params: SeriesId,
      body: SeriesChange,
      response: answers(SeriesSchema, 'The series as it is now.', ...bodyErrors, 'NOT_FOUND'),
    }),
    async (request) => {
      const { title, style, metadata } = request.body;
      const series = await updateSeries(db, callingOwner(request), request.params.series_id, {
        title: title === undefined ? undefined : checkText('title', title, maxTitleCharacters),
        style: typeof style === 'string' ? checkText('style', style, maxStyleCharacters) : style,
        metadata: metadata === undefined ? undefined : parseMetadata(JSON.stringify(metadata)),
      });
      return success(seriesView(series));
    },
  );

  server.delete(
    '/series/:series_id',
    operation('Series', 'deleteSeries', 'Delete a series with its terms and its memory', {
      description: 'Its tasks stay, and those that are running go on.',
      params: SeriesId,
      response: answers(
        Type.Object({ series_id: Type.String() }),
        'Nothing of it is remembered any more.',
        ...bodyErrors,
        'NOT_FOUND',
      ),
    }),
    async (request) => {
      const { series_id } = request.params;
      await deleteSeries(db, callingOwner(request), series_id);
      return success({ series_id });
    },
  );
}

/** Several times what a full sheet takes, in any script. */
const maxSheetBytes = 64 * 1024;

function registerSheet(server: Server, { db }: { db: Db }): void {
  server.get(
    '/series/:series_id/sheet',
    operation('Series', 'getSeriesSheet', 'Show how a series is translated', {
      description: 'What its volumes have settled, or what you have set: later volumes begin with it.',
      params: SeriesId,
      response: answers(SheetResult, 'The sheet.', 'NOT_FOUND'),
    }),
    async (request) => success(await showSheet(db, callingOwner(request), request.params.series_id)),
  );

  server.put(
    '/series/:series_id/sheet',
    {
      bodyLimit: maxSheetBytes,
      ...operation('Series', 'setSeriesSheet', 'Set how a series is translated', {
        description:
          'In place of what is there. What you set stands: later volumes follow it and only add what it leaves open. `{}` empties it. Paragraphs that are remembered stay as they are.',
        params: SeriesId,
        body: SheetSchema,
        response: answers(SheetResult, 'The sheet as it is now.', ...bodyErrors, 'NOT_FOUND'),
      }),
    },
    async (request) =>
      success(await replaceSheet(db, callingOwner(request), request.params.series_id, request.body as object)),
  );
}

/** The wire shape of a sheet: how a book or a series is translated. */
const { field, name, form, voice, phrase } = sheetBounds;
const upTo = (maxLength: number) => Type.String({ minLength: 1, maxLength });

const fields = Object.fromEntries(sheetFieldNames.map((each) => [each, Type.Optional(upTo(field))])) as Record<
  (typeof sheetFieldNames)[number],
  ReturnType<typeof Type.Optional<ReturnType<typeof upTo>>>
>;

const SheetSchema = namedExact(
  'Sheet',
  {
    ...fields,
    address: Type.Optional(
      Type.Array(exact({ from: upTo(name), to: upTo(name), form: upTo(form) }), {
        maxItems: sheetBounds.address,
        description: 'Who says which form of "you" to whom.',
      }),
    ),
    voices: Type.Optional(
      Type.Array(exact({ name: upTo(name), voice: upTo(voice) }), {
        maxItems: sheetBounds.voices,
        description: 'How main characters speak.',
      }),
    ),
    phrases: Type.Optional(
      Type.Array(exact({ source: upTo(phrase), target: upTo(phrase) }), {
        maxItems: sheetBounds.phrases,
        description: 'What comes back word for word, and its rendering.',
      }),
    ),
  },
  { description: 'What was settled before the first page: a line for each decision, in English.' },
);

const SheetResult = Type.Object({
  sheet: orNull(SheetSchema, 'Null when nothing is settled.'),
});

/** The wire shapes of series. */

const metadata = Type.Record(Type.String(), Type.String(), { description: 'What you sent as `metadata`.' });
const title = Type.String({ minLength: 1, maxLength: maxTitleCharacters });

const SeriesSchema = namedExact('Series', {
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

const SeriesList = Type.Object({
  series: Type.Array(SeriesSchema),
  next_cursor: orNull(Type.String()),
});

const newSeries = {
  title,
  target_lang: text('BCP-47 code from GET /languages.'),
  source_lang: optionalText('BCP-47 code; default `auto`.'),
  style: optionalText({ maxLength: maxStyleCharacters, description: 'How its books shall read, in your words.' }),
};
const SeriesForm = namedExact('SeriesForm', {
  ...newSeries,
  metadata: optionalText('JSON object of up to 16 strings.'),
});
const NewSeries = namedExact('NewSeries', {
  ...newSeries,
  metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
});

const SeriesChange = namedExact(
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
