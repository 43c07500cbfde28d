/** Series from the partner's side: create, and list in pages. */
import { badRequest } from '../errors.ts';
import { newId } from '../platform/ids.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db } from '../platform/postgres.ts';
import type { Series } from './series.ts';
import type { SeriesRequest } from './series-request.ts';
import { insertSeries, listSeries } from './series-store.ts';

export async function createSeries(db: Db, caller: Owner, request: SeriesRequest): Promise<Series> {
  const { title, sourceLang, targetLang, style, metadata } = request;
  const series = { id: newId('ser'), ...caller, title, style, metadata };
  return await db
    .transaction()
    .execute((trx) => insertSeries(trx, { ...series, sourceLang: sourceLang?.tag, targetLang: targetLang.tag }));
}

/** @throws BAD_REQUEST when the cursor is not one of ours */
export async function pageOfSeries(
  db: Db,
  caller: Owner,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<{ series: Series[]; nextCursor: string | null }> {
  const position = cursor === undefined ? undefined : readCursor(cursor);
  const rows = await listSeries(db, caller, { limit: limit + 1, before: position });
  const series = rows.slice(0, limit);
  const last = series.at(-1);
  const next = rows.length > limit && last ? JSON.stringify([last.createdAtMicros, last.id]) : undefined;
  return { series, nextCursor: next === undefined ? null : Buffer.from(next).toString('base64url') };
}

function readCursor(cursor: string): { createdAtMicros: number; id: string } {
  try {
    const [createdAtMicros, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [unknown, unknown];
    const isMicros =
      typeof createdAtMicros === 'number' && Number.isSafeInteger(createdAtMicros) && createdAtMicros >= 0;
    if (isMicros && typeof id === 'string' && /^ser_[0-9a-z]{26}$/.test(id)) return { createdAtMicros, id };
  } catch {
    // Falls through to the one answer for everything that is not a cursor.
  }
  throw badRequest('This cursor is not one that was handed out.', { field: 'cursor', reason: 'BAD_CURSOR' });
}
