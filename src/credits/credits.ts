/** A partner's prepaid credits as partners and operators see them. The rules live in the database (0002_credits.sql). */
import { badRequest } from '../errors.ts';

export interface Balance {
  grantedCredits: number;
  /** What can still be spent: granted − charged − held. */
  availableCredits: number;
  /** Held for tasks that have not ended. */
  reservedCredits: number;
  spentCredits: number;
}

export interface Usage {
  balanceCredits: number;
  reservedCredits: number;
  periodUsedCredits: number;
  periodStart: Date;
  periodEnd: Date | undefined;
}

/** One movement of credits as a partner reads it. */
export interface LedgerLine {
  entryId: number;
  kind: 'top_up' | 'hold' | 'charge' | 'release' | 'refund';
  credits: number;
  taskId: string | undefined;
  externalId: string | undefined;
  reference: string | undefined;
  /** Of a refund; for operators. */
  reason: string | undefined;
  createdAt: Date;
}

/** Protects against typing a few zeros too many; also keeps every sum far below 2^53. */
export const maxTopUpCredits = 1_000_000_000_000;

/** @throws BAD_REQUEST */
export function checkTopUp(credits: number, reference?: string): void {
  if (!Number.isInteger(credits) || credits < 1 || credits > maxTopUpCredits) {
    throw badRequest(`Credits are a whole number from 1 to ${maxTopUpCredits.toLocaleString('en')}.`, {
      field: 'credits',
    });
  }
  if (reference !== undefined && (reference.length < 1 || reference.length > 200))
    throw badRequest('A reference has 1 to 200 characters.', { field: 'reference' });
}
