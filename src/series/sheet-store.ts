import { sql } from 'kysely';
import type { Owner } from '../platform/owner-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { mergeSheets, readSheet, type Sheet } from '../translation/sheet.ts';
import { isSeriesId, seriesNotFound } from './series.ts';

/** Undefined when nothing is settled. @throws NOT_FOUND */
export async function findSheet(db: Db, { accountId, sandbox }: Owner, id: string): Promise<Sheet | undefined> {
  if (!isSeriesId(id)) throw seriesNotFound();
  const { rows } = await sql<{ sheet: unknown }>`
    select sheet from series where id = ${id} and account_id = ${accountId} and sandbox = ${sandbox}`.execute(db);
  if (rows[0] === undefined) throw seriesNotFound();
  return readSheet(rows[0].sheet);
}

/** In place of what is there; undefined empties it. @throws NOT_FOUND */
export async function setSheet(
  db: Db,
  { accountId, sandbox }: Owner,
  id: string,
  sheet: Sheet | undefined,
): Promise<void> {
  if (!isSeriesId(id)) throw seriesNotFound();
  const { rows } = await sql`
    update series set sheet = ${sheet === undefined ? null : JSON.stringify(sheet)}::jsonb
    where id = ${id} and account_id = ${accountId} and sandbox = ${sandbox} returning id`.execute(db);
  if (rows.length === 0) throw seriesNotFound();
}

/** What is there wins: the partner may have set it while the volume was translated. A series that was deleted keeps nothing. */
export async function addToSheet(trx: Trx, seriesId: string, found: Sheet): Promise<void> {
  const { rows } = await sql<{ sheet: unknown }>`select sheet from series where id = ${seriesId} for update`.execute(
    trx,
  );
  if (rows[0] === undefined) return;
  const merged = mergeSheets(readSheet(rows[0].sheet), found);
  await sql`update series set sheet = ${JSON.stringify(merged)}::jsonb where id = ${seriesId}`.execute(trx);
}
