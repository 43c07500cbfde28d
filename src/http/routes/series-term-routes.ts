import Type from 'typebox';
import type { Limits } from '../../limits.ts';
import type { Db } from '../../platform/postgres.ts';
import type { SentSeriesTerms } from '../../reading/series-term-jobs.ts';
import type { SeriesTermReader } from '../../reading/series-term-reader.ts';
import { findSeries } from '../../series/series-store.ts';
import { pageOfTerms, removeTerm, seriesTermView, setTerms } from '../../series/series-terms.ts';
import { success } from '../envelope.ts';
import { callingOwner } from '../guard.ts';
import { binaryBodies, takeWhole, unvalidated, withOwnParsers } from '../own-bodies.ts';
import { answers, bodyErrors, operation, pageQuery, SeriesId } from '../schemas.ts';
import type { Server } from '../server.ts';
import { exact, integer, namedExact, optionalInteger, optionalText, orNull } from '../shapes.ts';

const tbxTypes = ['application/x-tbx', 'application/x-tbx+xml', 'application/xml', 'text/xml'];
/** The markup around a term is several times its text. */
const tbxBytesPerGlossaryByte = 8;

export interface SeriesTermRouteDependencies {
  db: Db;
  limits: Limits;
  seriesTerms: SeriesTermReader;
}

/** A body that is read where it holds up nobody. */
type SentBody = Pick<SentSeriesTerms, 'form' | 'body'>;

export function registerSeriesTermRoutes(
  server: Server,
  { db, limits, seriesTerms }: SeriesTermRouteDependencies,
): void {
  server.get(
    '/series/:series_id/terms',
    operation('Series', 'listSeriesTerms', 'List the names and terms of a series', {
      params: SeriesId,
      querystring: exact(pageQuery),
      response: answers(SeriesTermPage, 'A page of terms, by source.', 'NOT_FOUND'),
    }),
    async (request) => {
      const { limit = 20, cursor } = request.query;
      const page = await pageOfTerms(db, callingOwner(request), request.params.series_id, { limit, cursor });
      return success({ terms: page.terms.map(seriesTermView), next_cursor: page.nextCursor });
    },
  );

  withOwnParsers(server, (scope) => {
    const { maxGlossaryBytes } = limits;
    takeWhole(scope, 'application/json', 'json', maxGlossaryBytes);
    takeWhole(scope, 'text/csv', 'csv', maxGlossaryBytes);
    takeWhole(scope, tbxTypes, 'tbx', maxGlossaryBytes * tbxBytesPerGlossaryByte);
    scope.put(
      '/series/:series_id/terms',
      {
        ...unvalidated,
        ...operation('Series', 'setSeriesTerms', 'Set terms; the others stay', {
          description:
            'As JSON, as CSV with the columns of the `glossary` output, or as a TBX file. Terms that are set to what they are change nothing: only paragraphs where a changed term occurs are translated anew by the next task.',
          params: SeriesId,
          body: {
            content: {
              'application/json': { schema: TermsToSet },
              'text/csv': { schema: Type.String() },
              ...binaryBodies(tbxTypes),
            },
          },
          response: answers(TermsSet, 'They are set.', ...bodyErrors, 'NOT_FOUND'),
        }),
      },
      async (request) => {
        const caller = callingOwner(request);
        const { id, sourceLang, targetLang } = await findSeries(db, caller, request.params.series_id);
        const sent = { ...(request.body as unknown as SentBody), languages: { sourceLang, targetLang } };
        const terms = await seriesTerms(sent, caller.accountId);
        await setTerms(db, caller, id, terms);
        return success({ terms: terms.count });
      },
    );
  });

  server.delete(
    '/series/:series_id/terms/:source',
    operation('Series', 'deleteSeriesTerm', 'Remove a term', {
      params: Type.Object({ series_id: Type.String(), source: Type.String() }),
      response: answers(Type.Object({ source: Type.String() }), 'It is gone.', ...bodyErrors, 'NOT_FOUND'),
    }),
    async (request) => {
      const { series_id, source } = request.params;
      await removeTerm(db, callingOwner(request), series_id, source);
      return success({ source });
    },
  );
}

/** The wire shapes of terms. */

const SeriesTermPage = Type.Object({
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

const TermsToSet = namedExact('TermsToSet', {
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

const TermsSet = Type.Object({ terms: integer('How many were set.') });
