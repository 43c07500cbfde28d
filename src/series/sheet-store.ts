import { sql } from 'kysely';
import { readRow } from '../platform/from-row.ts';
import { type Owner, ownedBy } from '../platform/owner-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { mergeSheets, readSheet, type Sheet } from '../translation/sheet.ts';
import { isSeriesId, seriesNotFound } from './series.ts';

/** Undefined when nothing is settled. @throws NOT_FOUND */
export async function findSheet(db: Db, owner: Owner, id: string): Promise<Sheet | undefined> {
  if (!isSeriesId(id)) throw seriesNotFound();
  const row = await readRow<{ sheet: unknown }>(db)`select sheet from series where id = ${id} and ${ownedBy(owner)}`;
  if (!row) throw seriesNotFound();
  return readSheet(row.sheet);
}

/** In place of what is there; undefined empties it. @throws NOT_FOUND */
export async function setSheet(db: Db, owner: Owner, id: string, sheet: Sheet | undefined): Promise<void> {
  if (!isSeriesId(id)) throw seriesNotFound();
  const { rows } = await sql`
    update series set sheet = ${sheet === undefined ? null : JSON.stringify(sheet)}::jsonb
    where id = ${id} and ${ownedBy(owner)} returning id`.execute(db);
  if (rows.length === 0) throw seriesNotFound();
}

/** What is there wins: the partner may have set it while the volume was translated. A series that was deleted keeps nothing. */
export async function addToSheet(trx: Trx, seriesId: string, found: Sheet): Promise<void> {
  const row = await readRow<{ sheet: unknown }>(trx)`select sheet from series where id = ${seriesId} for update`;
  if (!row) return;
  const merged = mergeSheets(readSheet(row.sheet), found);
  await sql`update series set sheet = ${JSON.stringify(merged)}::jsonb where id = ${seriesId}`.execute(trx);
}
