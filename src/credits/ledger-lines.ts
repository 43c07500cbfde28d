/** The ledger as a partner reads it: one line per movement of credits, newest first. */
import { badField } from '../errors.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db } from '../platform/postgres.ts';
import type { LedgerLine } from './credits.ts';
import { readLedger } from './ledger-store.ts';

/** @throws BAD_REQUEST when the cursor is not one of ours */
export async function pageOfLedger(
  db: Db,
  owner: Owner,
  limit: number,
  cursor: string | undefined,
): Promise<{ lines: LedgerLine[]; nextCursor: string | null }> {
  if (cursor !== undefined && !/^[1-9]\d{0,15}$/.test(cursor))
    throw badField('BAD_CURSOR', 'This cursor is not one that was handed out.', 'cursor');
  const beforeId = cursor === undefined ? undefined : Number(cursor);
  const rows = await readLedger(db, owner, { before: beforeId, limit: limit + 1 });
  const lines = rows.slice(0, limit);
  return { lines, nextCursor: rows.length > limit ? String(lines.at(-1)?.entryId) : null };
}
