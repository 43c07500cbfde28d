/** Pages of lists. One row more than a page shows is read, and says whether there is another page. */
import { type RawBuilder, sql } from 'kysely';
import { type AppError, badField } from '../errors.ts';

/** @param rows read with a limit of `limit + 1` */
export function pageOf<T>(
  rows: readonly T[],
  limit: number,
  cursorAt: (last: T) => string,
): { shown: T[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { shown, nextCursor: rows.length > limit && last !== undefined ? cursorAt(last) : null };
}

export function badCursor(): AppError {
  return badField('BAD_CURSOR', 'This cursor is not one that was handed out.', 'cursor');
}

/** Where a row stands in a list that has the newest first. */
export interface ListPlace {
  /** Since the epoch: a Date would lose the database's microseconds. */
  createdAtMicros: number;
  id: string;
}

/** Opaque to partners, and stable while rows are added. */
export function cursorOf({ createdAtMicros, id }: ListPlace): string {
  return Buffer.from(JSON.stringify([createdAtMicros, id])).toString('base64url');
}

/** @throws BAD_REQUEST when the cursor is not one of ours */
export function placeAt(cursor: string | undefined, kind: 'task' | 'ser'): ListPlace | undefined {
  if (cursor === undefined) return undefined;
  const written = Buffer.from(cursor, 'base64url').toString();
  const [, micros, id] = /^\[(\d{1,16}),"([a-z]+_[0-9a-z]{26})"\]$/.exec(written) ?? [];
  const createdAtMicros = Number(micros);
  if (id?.startsWith(`${kind}_`) && Number.isSafeInteger(createdAtMicros)) return { createdAtMicros, id };
  throw badCursor();
}

/** The column of a row's `createdAtMicros`. */
export const createdAtMicros = sql`(extract(epoch from created_at) * 1000000)::bigint as created_at_micros`;

/** The condition on a row that stands behind a place. */
export function isBehind(place: ListPlace | undefined): RawBuilder<boolean> {
  if (place === undefined) return sql`true`;
  return sql`(created_at, id) < ('epoch'::timestamptz + ${place.createdAtMicros}::bigint * interval '1 microsecond', ${place.id})`;
}
