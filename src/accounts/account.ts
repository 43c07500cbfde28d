/** A partner company: its settings and the limits of its calls. */
import { badRequest } from '../errors.ts';
import type { KeyMode } from './api-key.ts';

export type BillingPeriod = 'monthly' | 'open';

export interface Account {
  id: string;
  name: string;
  rateLimitPerMinute: number;
  billingPeriod: BillingPeriod;
  /** Characters paid for in a preview are credited to the full run. */
  creditPreviews: boolean;
  /** Available credits below this cause an event; undefined = no event. */
  lowBalanceCredits: number | undefined;
  /** Its keys are refused since then; running tasks finish. */
  suspendedAt: Date | undefined;
  suspendedReason: string | undefined;
  createdAt: Date;
}

export interface ApiKey {
  id: string;
  accountId: string;
  accountName: string;
  prefix: string;
  mode: KeyMode;
  createdAt: Date;
  revokedAt: Date | undefined;
  /** To within half a minute. */
  lastUsedAt: Date | undefined;
}

export const defaultRateLimitPerMinute = 60;

/** Two accounts must not differ by case alone: operators name them on the command line. */
export function accountNameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

/** @throws BAD_REQUEST when a value is out of range */
export function checkNewAccount(account: { name: string; rateLimitPerMinute: number }): void {
  if (account.name !== account.name.trim() || account.name.length < 1 || account.name.length > 200)
    throw badRequest('An account name has 1 to 200 characters, without blanks around it.', { field: 'name' });
  checkRateLimit(account.rateLimitPerMinute);
}

/** @throws BAD_REQUEST */
export function checkRateLimit(rateLimitPerMinute: number): void {
  if (!Number.isInteger(rateLimitPerMinute) || rateLimitPerMinute < 1 || rateLimitPerMinute > 100_000) {
    throw badRequest('A rate limit is a whole number from 1 to 100,000 requests per minute.', {
      field: 'rate_limit_per_minute',
    });
  }
}
