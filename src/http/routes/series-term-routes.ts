import Type from 'typebox';
import { badRequest } from '../../errors.ts';
import { readGlossaryCsv } from '../../glossary/read-csv.ts';
import { readTbx } from '../../interchange/read-tbx.ts';
import type { Limits } from '../../limits.ts';
import type { Db } from '../../platform/postgres.ts';
import type { Series } from '../../series/series.ts';
import { findSeries } from '../../series/series-store.ts';
import { pageOfTerms, parseTerms, removeTerm, seriesTermView, setTerms } from '../../series/series-terms.ts';
import { boundedJsonParser } from '../bounded-json.ts';
import { success } from '../envelope.ts';
import { envelope, errorResponses, guardErrors, pageQuery } from '../schemas.ts';
import { seriesCallerOf } from '../series-caller.ts';
import { SeriesTermPage, TermsSet, TermsToSet } from '../series-schemas.ts';
import type { Server } from '../server.ts';

const SeriesId = Type.Object({ series_id: Type.String() });
const bodyErrors = [...guardErrors, 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE', 'NOT_FOUND'] as const;
const tbxTypes = ['application/x-tbx', 'application/x-tbx+xml', 'application/xml', 'text/xml'];
/** The markup around a term is several times its text. */
const tbxBytesPerGlossaryByte = 8;
/** A term and its fields; a list of aliases has values of its own, which count as terms. */
const valuesPerTerm = 10;
const maxMembers = 64;

export function registerSeriesTermRoutes(server: Server, { db, limits }: { db: Db; limits: Limits }): void {
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
      const page = await pageOfTerms(db, seriesCallerOf(request), request.params.series_id, { limit, cursor });
      return success({ terms: page.terms.map(seriesTermView), next_cursor: page.nextCursor });
    },
  );

  void server.register(async (plugin) => {
    const scope = plugin as unknown as Server;
    const { maxGlossaryBytes } = limits;
    scope.removeAllContentTypeParsers();
    const json = { parseAs: 'buffer', bodyLimit: maxGlossaryBytes } as const;
    const bounds = { values: valuesPerTerm * limits.maxGlossaryTerms, members: maxMembers };
    scope.addContentTypeParser('application/json', json, boundedJsonParser(scope, bounds));
    const csv = { parseAs: 'string', bodyLimit: maxGlossaryBytes } as const;
    scope.addContentTypeParser('text/csv', csv, (_request, body, done) => done(null, body));
    const tbx = { parseAs: 'buffer', bodyLimit: maxGlossaryBytes * tbxBytesPerGlossaryByte } as const;
    scope.addContentTypeParser(tbxTypes, tbx, (_request, body, done) => done(null, body));
    scope.put(
      '/series/:series_id/terms',
      {
        // Read by `parseTerms`, which says what is wrong with which term.
        validatorCompiler: () => () => true,
        schema: {
          operationId: 'setSeriesTerms',
          tags: ['Series'],
          summary: 'Set terms; the others stay',
          description:
            'As JSON, as CSV with the columns of the `glossary` output, or as a TBX file. Only paragraphs where a changed term occurs are translated anew by the next task.',
          params: SeriesId,
          body: {
            content: {
              'application/json': { schema: TermsToSet },
              'text/csv': { schema: Type.String() },
              ...Object.fromEntries(tbxTypes.map((type) => [type, { schema: Type.String({ format: 'binary' }) }])),
            },
          },
          response: {
            200: { ...envelope(TermsSet), description: 'They are set.' },
            ...errorResponses(...bodyErrors),
          },
        },
      },
      async (request) => {
        const caller = seriesCallerOf(request);
        const series = await findSeries(db, caller, request.params.series_id);
        const terms = parseTerms(await entriesOf(request.body, series), limits);
        await setTerms(db, caller, series.id, terms);
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
          ...errorResponses(...bodyErrors),
        },
      },
    },
    async (request) => {
      const { series_id, source } = request.params;
      await removeTerm(db, seriesCallerOf(request), series_id, source);
      return success({ source });
    },
  );
}

/** @throws BAD_REQUEST */
async function entriesOf(body: unknown, series: Series): Promise<Record<string, unknown>[]> {
  const terms =
    typeof body === 'string'
      ? readGlossaryCsv(body)
      : Buffer.isBuffer(body)
        ? await tbxEntries(body, series)
        : listed(body);
  const isEntry = (entry: unknown): boolean => typeof entry === 'object' && entry !== null && !Array.isArray(entry);
  if (!Array.isArray(terms) || terms.length === 0 || !terms.every(isEntry)) {
    const message =
      'Send {"terms": [{"source": "…", "target": "…"}]}, CSV with the columns source and target, or a TBX file with terms.';
    throw badRequest(message, { field: 'terms', reason: 'MISSING_FIELD' });
  }
  return terms;
}

function listed(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'terms' in body ? body.terms : undefined;
}

async function tbxEntries(file: Buffer, { sourceLang, targetLang }: Series): Promise<Record<string, unknown>[]> {
  return (await readTbx(file, { sourceLang, targetLang })).map((entry) => ({ ...entry }));
}
