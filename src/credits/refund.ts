/** Gives spent credits back in a separate transfer with a reason; the original charge stays in the ledger. */
import { badRequest } from '../errors.ts';
import type { Trx } from '../platform/postgres.ts';
import { type Balance, checkTopUp } from './credits.ts';
import { readBalance, returnCredits } from './ledger-store.ts';

export interface Refund {
  accountId: string;
  credits: number;
  /** The operator's own id for it: the same reference never counts twice. */
  reference: string;
  reason: string;
  /** The task whose charge is given back; then never more than it cost. */
  taskId?: string | undefined;
}

/** @throws BAD_REQUEST */
export async function refund(trx: Trx, refund: Refund): Promise<{ applied: boolean; balance: Balance }> {
  checkTopUp(refund.credits, refund.reference);
  if (refund.reason.trim() === '' || refund.reason.length > 500)
    throw badRequest('A refund needs a reason of at most 500 characters.', { field: 'reason' });
  const { applied } = await returnCredits(trx, refund);
  return { applied, balance: await readBalance(trx, refund.accountId) };
}
