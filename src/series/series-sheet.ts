/** The sheet of a series from the partner's side: shown, and set in place of what is there. */
import { badRequest } from '../errors.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db } from '../platform/postgres.ts';
import { readSheet, sheetFields, sheetLimits } from '../translation/sheet.ts';
import { findSheet, setSheet } from './sheet-store.ts';

export const sheetFieldNames = Object.keys(sheetFields) as (keyof typeof sheetFields)[];
export const sheetBounds = sheetLimits;

/** Null when nothing is settled. @throws NOT_FOUND */
export async function showSheet(db: Db, caller: Owner, seriesId: string) {
  return { sheet: (await findSheet(db, caller, seriesId)) ?? null };
}

/** @throws NOT_FOUND; BAD_REQUEST when a text cannot be stored */
export async function replaceSheet(db: Db, caller: Owner, seriesId: string, sent: object) {
  const json = JSON.stringify(sent);
  if (!json.isWellFormed() || /\\u0000|\\ud[89a-f]/iu.test(json))
    throw badRequest('A text of the sheet cannot be stored.', { field: 'sheet', reason: 'BAD_TEXT' });
  const sheet = readSheet(sent);
  await setSheet(db, caller, seriesId, sheet);
  return { sheet: sheet ?? null };
}
