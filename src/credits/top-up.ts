import type { Db } from '../platform/postgres.ts';
import { type Balance, checkTopUp } from './credits.ts';
import { addCredits, readBalance } from './ledger-store.ts';

/**
 * Adds prepaid credits; with a reference, repeating the call changes nothing (`applied: false`).
 * @throws BAD_REQUEST
 */
export async function topUp(
  db: Db,
  accountId: string,
  credits: number,
  reference?: string,
): Promise<{ applied: boolean; balance: Balance }> {
  checkTopUp(credits, reference);
  return await db.transaction().execute(async (trx) => {
    const { applied } = await addCredits(trx, accountId, credits, reference);
    return { applied, balance: await readBalance(trx, accountId) };
  });
}
