import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { badRequest } from '../../errors.ts';
import { readGlossaryCsv } from '../../glossary/read-csv.ts';
import type { Limits } from '../../limits.ts';
import { parseMetadata } from '../../platform/partner-metadata.ts';
import type { Db } from '../../platform/postgres.ts';
import { correctSeries } from '../../series/corrections.ts';
import { createSeries, pageOfSeries } from '../../series/manage-series.ts';
import { seriesView } from '../../series/series.ts';
import {
  checkText,
  maxStyleCharacters,
  maxTitleCharacters,
  parseSeriesRequest,
  seriesFieldNames,
} from '../../series/series-request.ts';
import { countsOf, deleteSeries, findSeries, type SeriesCaller, updateSeries } from '../../series/series-store.ts';
import { pageOfTerms, parseTerms, removeTerm, seriesTermView, setTerms } from '../../series/series-terms.ts';
import { success } from '../envelope.ts';
import { admissionOf } from '../guard.ts';
import { envelope, errorResponses, guardErrors, pageQuery } from '../schemas.ts';
import {
  CorrectionCounts,
  Corrections,
  NewSeries,
  SeriesChange,
  SeriesForm,
  SeriesList,
  SeriesSchema,
  SeriesTermPage,
  TermsSet,
  TermsToSet,
} from '../series-schemas.ts';
import type { Server } from '../server.ts';
import { readUpload } from '../upload/read-upload.ts';
import { uploadLimits } from '../upload/upload-limits.ts';

export interface SeriesRouteDependencies {
  db: Db;
  limits: Limits;
}

const SeriesId = Type.Object({ series_id: Type.String() });
const bodyErrors = [...guardErrors, 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE'] as const;
/** Parsed in this process, so no more than it parses in a moment; a whole book's corrections fit. */
const maxCorrectionBytes = 8 * 1024 * 1024;
const maxRefusalsShown = 100;

export function registerSeriesRoutes(server: Server, deps: SeriesRouteDependencies): void {
  registerCreate(server, deps);
  registerSeries(server, deps);
  registerTerms(server, deps);
  registerCorrections(server, deps);
}

function callerOf(request: FastifyRequest): SeriesCaller {
  const { accountId, mode } = admissionOf(request).caller;
  return { accountId, sandbox: mode === 'test' };
}

function registerCreate(server: Server, { db, limits }: SeriesRouteDependencies): void {
  void server.register(async (plugin) => {
    const scope = plugin as unknown as Server;
    // The body is read by `readUpload`, as that of POST /tasks is.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.post(
      '/series',
      {
        validatorCompiler: () => () => true,
        schema: {
          operationId: 'createSeries',
          tags: ['Series'],
          summary: 'Create a series',
          description:
            'A story that goes on: its tasks share names and terms, and what one of them translated the next ones deliver without charge.',
          body: {
            content: {
              'application/json': { schema: NewSeries },
              'multipart/form-data': { schema: SeriesForm },
              'application/x-www-form-urlencoded': { schema: SeriesForm },
            },
          },
          response: {
            201: { ...envelope(SeriesSchema), description: 'The series.' },
            ...errorResponses(...bodyErrors),
          },
        },
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
        const series = await createSeries(db, callerOf(request), parseSeriesRequest(fields));
        return reply.status(201).send(success(seriesView(series)));
      },
    );
  });
}

function registerSeries(server: Server, { db }: SeriesRouteDependencies): void {
  server.get(
    '/series',
    {
      schema: {
        operationId: 'listSeries',
        tags: ['Series'],
        summary: 'List your series, newest first',
        querystring: Type.Object(pageQuery, { additionalProperties: false }),
        response: {
          200: { ...envelope(SeriesList), description: 'A page of series.' },
          ...errorResponses(...guardErrors),
        },
      },
    },
    async (request) => {
      const { limit = 20, cursor } = request.query;
      const { series, nextCursor } = await pageOfSeries(db, callerOf(request), { limit, cursor });
      return success({ series: series.map((one) => seriesView(one)), next_cursor: nextCursor });
    },
  );

  server.get(
    '/series/:series_id',
    {
      schema: {
        operationId: 'getSeries',
        tags: ['Series'],
        summary: 'Show a series with what it holds',
        params: SeriesId,
        response: {
          200: { ...envelope(SeriesSchema), description: 'The series.' },
          ...errorResponses(...guardErrors, 'NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const series = await findSeries(db, callerOf(request), request.params.series_id);
      return success(seriesView(series, await countsOf(db, series)));
    },
  );

  server.patch(
    '/series/:series_id',
    {
      schema: {
        operationId: 'updateSeries',
        tags: ['Series'],
        summary: 'Change the title, style or metadata of a series',
        params: SeriesId,
        body: SeriesChange,
        response: {
          200: { ...envelope(SeriesSchema), description: 'The series as it is now.' },
          ...errorResponses(...bodyErrors, 'NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const { title, style, metadata } = request.body;
      const series = await updateSeries(db, callerOf(request), request.params.series_id, {
        title: title === undefined ? undefined : checkText('title', title, maxTitleCharacters),
        style: typeof style === 'string' ? checkText('style', style, maxStyleCharacters) : style,
        metadata: metadata === undefined ? undefined : parseMetadata(JSON.stringify(metadata)),
      });
      return success(seriesView(series));
    },
  );

  server.delete(
    '/series/:series_id',
    {
      schema: {
        operationId: 'deleteSeries',
        tags: ['Series'],
        summary: 'Delete a series with its terms and its memory',
        description: 'Its tasks stay, and those that are running go on.',
        params: SeriesId,
        response: {
          200: {
            ...envelope(Type.Object({ series_id: Type.String() })),
            description: 'Nothing of it is remembered any more.',
          },
          ...errorResponses(...bodyErrors, 'NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const { series_id } = request.params;
      await deleteSeries(db, callerOf(request), series_id);
      return success({ series_id });
    },
  );
}

function registerTerms(server: Server, { db, limits }: SeriesRouteDependencies): void {
  server.get(
    '/series/:series_id/terms',
    {
      schema: {
        operationId: 'listSeriesTerms',
        tags: ['Series'],
        summary: 'List the names and terms of a series',
        params: SeriesId,
        querystring: Type.Object(pageQuery, { additionalProperties: false }),
        response: {
          200: { ...envelope(SeriesTermPage), description: 'A page of terms, by source.' },
          ...errorResponses(...guardErrors, 'NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const { limit = 20, cursor } = request.query;
      const page = await pageOfTerms(db, callerOf(request), request.params.series_id, { limit, cursor });
      return success({ terms: page.terms.map(seriesTermView), next_cursor: page.nextCursor });
    },
  );

  void server.register(async (plugin) => {
    const scope = plugin as unknown as Server;
    scope.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) => {
      try {
        done(null, { terms: readGlossaryCsv(body as string) });
      } catch (error) {
        done(error as Error);
      }
    });
    scope.put(
      '/series/:series_id/terms',
      {
        bodyLimit: limits.maxGlossaryBytes,
        // Read by `parseTerms`, which says what is wrong with which term.
        validatorCompiler: () => () => true,
        schema: {
          operationId: 'setSeriesTerms',
          tags: ['Series'],
          summary: 'Set terms; the others stay',
          description:
            'As JSON, or as CSV with the columns of the `glossary` output. Only paragraphs where a changed term occurs are translated anew by the next task.',
          params: SeriesId,
          body: {
            content: {
              'application/json': { schema: TermsToSet },
              'text/csv': { schema: Type.String() },
            },
          },
          response: {
            200: { ...envelope(TermsSet), description: 'They are set.' },
            ...errorResponses(...bodyErrors, 'NOT_FOUND'),
          },
        },
      },
      async (request) => {
        const caller = callerOf(request);
        await findSeries(db, caller, request.params.series_id);
        const terms = parseTerms(entriesOf(request.body), limits);
        await setTerms(db, caller, request.params.series_id, terms);
        return success({ terms: terms.length });
      },
    );
  });

  server.delete(
    '/series/:series_id/terms/:source',
    {
      schema: {
        operationId: 'deleteSeriesTerm',
        tags: ['Series'],
        summary: 'Remove a term',
        params: Type.Object({ series_id: Type.String(), source: Type.String() }),
        response: {
          200: { ...envelope(Type.Object({ source: Type.String() })), description: 'It is gone.' },
          ...errorResponses(...bodyErrors, 'NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const { series_id, source } = request.params;
      await removeTerm(db, callerOf(request), series_id, source);
      return success({ source });
    },
  );
}

function entriesOf(body: unknown): Record<string, unknown>[] {
  const terms = typeof body === 'object' && body !== null && 'terms' in body ? body.terms : undefined;
  const isEntry = (entry: unknown): boolean => typeof entry === 'object' && entry !== null && !Array.isArray(entry);
  if (!Array.isArray(terms) || terms.length === 0 || !terms.every(isEntry)) {
    const message = 'Send {"terms": [{"source": "…", "target": "…"}]}, or CSV with the columns source and target.';
    throw badRequest(message, { field: 'terms', reason: 'MISSING_FIELD' });
  }
  return terms;
}

function registerCorrections(server: Server, { db }: SeriesRouteDependencies): void {
  server.post(
    '/series/:series_id/corrections',
    {
      bodyLimit: maxCorrectionBytes,
      schema: {
        operationId: 'correctSeries',
        tags: ['Series'],
        summary: 'Send back corrected paragraphs',
        description:
          'From now on every task of the series delivers them word for word and without charge. Each correction is judged for itself.',
        params: SeriesId,
        body: Corrections,
        response: {
          200: { ...envelope(CorrectionCounts), description: 'What became of them.' },
          ...errorResponses(...bodyErrors, 'NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const result = await correctSeries(db, callerOf(request), request.params.series_id, request.body);
      return success({
        taken: result.taken,
        unchanged: result.unchanged,
        refused: result.refused.length,
        refusals: result.refused.slice(0, maxRefusalsShown),
      });
    },
  );
}
