import Type from 'typebox';
import { badRequest } from '../../errors.ts';
import { parseMetadata } from '../../partner-metadata.ts';
import type { CorrectionDependencies } from '../../reading/correct-task.ts';
import { createSeries, pageOfSeries } from '../../series/manage-series.ts';
import { seriesView } from '../../series/series.ts';
import {
  checkText,
  maxStyleCharacters,
  maxTitleCharacters,
  parseSeriesRequest,
  seriesFieldNames,
} from '../../series/series-request.ts';
import { countsOf, deleteSeries, findSeries, updateSeries } from '../../series/series-store.ts';
import { success } from '../envelope.ts';
import { callingOwner } from '../guard.ts';
import { leaveUnread, unvalidated, withOwnParsers } from '../own-bodies.ts';
import { answers, bodyErrors, created, operation, pageQuery, SeriesId } from '../schemas.ts';
import { NewSeries, SeriesChange, SeriesForm, SeriesList, SeriesSchema } from '../series-schemas.ts';
import type { Server } from '../server.ts';
import { exact } from '../shapes.ts';
import { readUpload } from '../upload/read-upload.ts';
import { uploadLimits } from '../upload/upload-limits.ts';
import { registerSeriesCorrectionRoutes } from './series-correction-routes.ts';
import { registerSeriesSheetRoutes } from './series-sheet-routes.ts';
import { registerSeriesTermRoutes, type SeriesTermRouteDependencies } from './series-term-routes.ts';

export type SeriesRouteDependencies = SeriesTermRouteDependencies & CorrectionDependencies;

export function registerSeriesRoutes(server: Server, deps: SeriesRouteDependencies): void {
  registerCreate(server, deps);
  registerSeries(server, deps);
  registerSeriesTermRoutes(server, deps);
  registerSeriesSheetRoutes(server, deps);
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
