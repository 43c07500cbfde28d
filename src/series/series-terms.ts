/** Terms of a series: what people set, and what was found in its volumes. */
import { AppError, badRequest } from '../errors.ts';
import { parseGlossary } from '../glossary/glossary.ts';
import type { Limits } from '../limits.ts';
import type { Db } from '../platform/postgres.ts';
import type { Term } from '../term.ts';
import { seriesNotFound } from './series.ts';
import { findSeries, type SeriesCaller } from './series-store.ts';
import { countTerms, deleteTerm, listTerms, lockTermsVersion, putTerms, type SeriesTerm } from './term-store.ts';

/** A series with more terms is several. */
export const maxSeriesTerms = 50_000;

export interface SeriesTermView {
  source: string;
  target: string;
  type: string;
  gender: string;
  aliases: string[];
  note: string | null;
  origin: string;
  first_task_id: string | null;
  occurrences: number;
}

export function seriesTermView(term: SeriesTerm): SeriesTermView {
  return {
    source: term.source,
    target: term.target,
    type: term.type,
    gender: term.gender,
    aliases: term.aliases,
    note: term.note ?? null,
    origin: term.origin,
    first_task_id: term.firstTaskId ?? null,
    occurrences: term.occurrences,
  };
}

/** Entries as they were sent, each with its source, read as a glossary is. @throws BAD_REQUEST, PAYLOAD_TOO_LARGE */
export function parseTerms(entries: readonly Record<string, unknown>[], limits: Limits): Term[] {
  const sources = new Set<unknown>();
  for (const { source } of entries) {
    if (typeof source !== 'string' || source.trim() === '')
      throw badRequest('A term has no source.', { field: 'terms', reason: 'GLOSSARY_TERM_INVALID' });
    if (sources.has(source)) {
      const details = { field: 'terms', reason: 'GLOSSARY_DUPLICATE_TERM', key: source.slice(0, 64) };
      throw badRequest('A term is there twice; each source may have one entry.', details);
    }
    sources.add(source);
  }
  const glossary = Object.fromEntries(entries.map(({ source, ...entry }) => [source as string, entry]));
  try {
    return parseGlossary(glossary, {
      maxBytes: limits.maxGlossaryBytes,
      maxTerms: limits.maxGlossaryTerms,
      maxTermBytes: limits.maxTermBytes,
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, error.message, { details: { ...error.details, field: 'terms' }, cause: error });
  }
}

/** Sets them; others stay. @throws NOT_FOUND, BAD_REQUEST */
export async function setTerms(db: Db, caller: SeriesCaller, seriesId: string, terms: readonly Term[]): Promise<void> {
  await findSeries(db, caller, seriesId);
  await db.transaction().execute(async (trx) => {
    if ((await lockTermsVersion(trx, caller.accountId, seriesId)) === undefined) throw seriesNotFound();
    await putTerms(trx, seriesId, terms, 'supplied');
    if ((await countTerms(trx, seriesId)) > maxSeriesTerms) {
      const message = `A series has at most ${maxSeriesTerms} terms.`;
      throw badRequest(message, { field: 'terms', reason: 'GLOSSARY_TOO_MANY_TERMS', limit: maxSeriesTerms });
    }
  });
}

/** @throws NOT_FOUND */
export async function removeTerm(db: Db, caller: SeriesCaller, seriesId: string, source: string): Promise<void> {
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
  caller: SeriesCaller,
  seriesId: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<{ terms: SeriesTerm[]; nextCursor: string | null }> {
  await findSeries(db, caller, seriesId);
  const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString();
  if (after?.includes('\0') || after === '')
    throw badRequest('This cursor is not one that was handed out.', { field: 'cursor', reason: 'BAD_CURSOR' });
  const found = await listTerms(db, seriesId, { limit: limit + 1, after });
  const terms = found.slice(0, limit);
  const last = terms.at(-1);
  return { terms, nextCursor: found.length > limit && last ? Buffer.from(last.source).toString('base64url') : null };
}
