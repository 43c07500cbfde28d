/** Terms of a series: what people set, and what was found in its volumes. */

import { AppError, badRequest } from '../errors.ts';
import { badCursor, pageOf } from '../platform/list-page-store.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db } from '../platform/postgres.ts';
import { wireFields } from '../wire-fields.ts';
import { seriesNotFound } from './series.ts';
import { findSeries } from './series-store.ts';
import type { TermRows } from './term-rows.ts';
import { countTerms, deleteTerm, listTerms, lockTermsVersion, putTerms, type SeriesTerm } from './term-store.ts';

/** A series with more terms is several. */
export const maxSeriesTerms = 50_000;

export function seriesTermView(term: SeriesTerm) {
  const { source, target, type, gender, aliases } = term;
  return { source, target, type, gender, aliases, ...wireFields(term, 'note', 'origin', 'firstTaskId', 'occurrences') };
}

/** Sets them; others stay. @throws NOT_FOUND, BAD_REQUEST */
export async function setTerms(db: Db, caller: Owner, seriesId: string, terms: TermRows): Promise<void> {
  await findSeries(db, caller, seriesId);
  await db.transaction().execute(async (trx) => {
    if ((await lockTermsVersion(trx, caller.accountId, seriesId)) === undefined) throw seriesNotFound();
    await putTerms(trx, seriesId, terms);
    if ((await countTerms(trx, seriesId)) > maxSeriesTerms) {
      const message = `A series has at most ${maxSeriesTerms} terms.`;
      throw badRequest(message, { field: 'terms', reason: 'GLOSSARY_TOO_MANY_TERMS', limit: maxSeriesTerms });
    }
  });
}

/** @throws NOT_FOUND */
export async function removeTerm(db: Db, caller: Owner, seriesId: string, source: string): Promise<void> {
  await findSeries(db, caller, seriesId);
  const removed = await db.transaction().execute(async (trx) => {
    if ((await lockTermsVersion(trx, caller.accountId, seriesId)) === undefined) throw seriesNotFound();
    return !source.includes('\0') && (await deleteTerm(trx, seriesId, source));
  });
  if (!removed) throw new AppError('NOT_FOUND', 'The series has no such term.');
}

/** By source. @throws NOT_FOUND, BAD_REQUEST */
export async function pageOfTerms(
  db: Db,
  caller: Owner,
  seriesId: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<{ terms: SeriesTerm[]; nextCursor: string | null }> {
  await findSeries(db, caller, seriesId);
  const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString();
  if (after?.includes('\0') || after === '') throw badCursor();
  const rows = await listTerms(db, seriesId, { limit: limit + 1, after });
  const cursorAt = ({ source }: SeriesTerm) => Buffer.from(source).toString('base64url');
  const { shown: terms, nextCursor } = pageOf(rows, limit, cursorAt);
  return { terms, nextCursor };
}
