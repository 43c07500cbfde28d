/**
 * Admission of a request: whose key is it, and has it reached its rate limit? One SQL statement, on every request,
 * without a cache, so a revoked key is refused by the next request on every process.
 *
 * The limit is GCRA with a burst of one minute's worth, decided by the database's clock alone. A refused request
 * does not change the arrival time, so it costs nothing.
 */
import type { Owner } from '../platform/owner-store.ts';
import type { Db } from '../platform/postgres.ts';
import { type AdmissionRow, takeRequest } from './admission-store.ts';

export type Caller = Omit<AdmissionRow, 'allowed' | 'aheadSeconds'>;

/** Whose everything is that this caller makes, and whose it may see. */
export function ownerOf({ accountId, mode }: Pick<Caller, 'accountId' | 'mode'>): Owner {
  return { accountId, sandbox: mode === 'test' };
}

export interface Admission {
  caller: Caller;
  rateLimit: ReturnType<typeof rateLimitState>;
}

/** @returns undefined when no live key has this hash */
export async function admit(db: Db, keyHash: Buffer): Promise<Admission | undefined> {
  const row = await takeRequest(db, keyHash);
  if (!row) return undefined;
  const { allowed, aheadSeconds, ...caller } = row;
  return { caller, rateLimit: rateLimitState(caller.rateLimitPerMinute, allowed, aheadSeconds) };
}

function rateLimitState(limit: number, allowed: boolean, aheadSeconds: number) {
  const spacing = 60 / limit;
  const ahead = Math.max(0, aheadSeconds);
  return {
    allowed,
    limit,
    remaining: Math.max(0, Math.floor((60 - ahead) / spacing + 1e-6)),
    /** Until the full burst is back. */
    resetSeconds: Math.ceil(ahead),
    /** Until one request is allowed again; 0 when allowed. */
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(ahead + spacing - 60)),
  };
}
