/**
 * Admission of a request: whose key is it, and is its rate limit exhausted? One SQL statement, on every request,
 * without a cache, so a revoked key is refused by the next request on every process.
 *
 * The limit is GCRA with a burst of one minute's worth, decided by the database's clock alone. A refused request
 * leaves the arrival time as it was: it costs nothing.
 */
import type { Pool } from '../platform/postgres.ts';
import type { KeyMode } from './api-key.ts';

export interface Caller {
  accountId: string;
  keyId: string;
  keyPrefix: string;
  mode: KeyMode;
  rateLimitPerMinute: number;
}

export interface RateLimitState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Until the full burst is back. */
  resetSeconds: number;
  /** Until one request is allowed again; 0 when allowed. */
  retryAfterSeconds: number;
}

export interface Admission {
  caller: Caller;
  rateLimit: RateLimitState;
  /** What the `AdmissionColumns` selected. */
  extra: Record<string, unknown>;
}

interface AdmissionRow {
  account_id: string;
  key_id: string;
  prefix: string;
  mode: KeyMode;
  rate_limit_per_minute: number;
  allowed: boolean;
  /** Seconds from the request to the theoretical arrival time. */
  ahead_seconds: number;
}

/** More to read in the same round trip: SQL that may refer to `caller` (account_id, created_at, billing_period, now_at). */
export interface AdmissionColumns {
  /** Part of the prepared statement's name. */
  name: string;
  select: string;
  /** Joins that keep the one row. */
  joins: string;
}

/**
 * Sent as a named prepared statement: parsing and planning it anew for each request cost three quarters of the time
 * (2,158 against 8,504 a second).
 * @returns undefined when no live key has this hash
 */
export async function admit(pool: Pool, keyHash: Buffer, columns?: AdmissionColumns): Promise<Admission | undefined> {
  const { rows } = await pool.query<AdmissionRow & Record<string, unknown>>({
    name: `admit ${columns?.name ?? ''}`,
    text: admissionSql(columns),
    values: [keyHash],
  });
  const row = rows[0];
  if (!row) return undefined;
  const { account_id, key_id, prefix, mode, rate_limit_per_minute, allowed, ahead_seconds, ...extra } = row;
  return {
    caller: {
      accountId: account_id,
      keyId: key_id,
      keyPrefix: prefix,
      mode,
      rateLimitPerMinute: rate_limit_per_minute,
    },
    rateLimit: rateLimitState(rate_limit_per_minute, allowed, ahead_seconds),
    extra,
  };
}

// A request fits when the arrival time is at most a minute less one spacing ahead. `excluded.arrival_at` is now + spacing,
// so both expressions see one and the same moment. Each reading of `caller` costs: three of them instead of seven.
const fits = 'r.arrival_at <= (select latest_at from caller)';
const nextArrival = 'greatest(r.arrival_at + (select spacing from caller), excluded.arrival_at)';

function admissionSql(columns: AdmissionColumns | undefined): string {
  return `
    with caller as (
      select key_id, account_id, prefix, mode, rate_limit_per_minute, billing_period, created_at, spacing, now_at,
        now_at + interval '1 minute' - spacing as latest_at
      from (
        select k.id as key_id, k.account_id, k.prefix, k.mode, a.rate_limit_per_minute, a.billing_period, a.created_at,
          interval '1 minute' / a.rate_limit_per_minute as spacing, clock_timestamp() as now_at
        from api_keys k join accounts a on a.id = k.account_id
        where k.hash = $1 and k.revoked_at is null
      ) found
    ), rate as (
      insert into rate_limits as r (key_id, arrival_at, allowed)
      select key_id, now_at + spacing, true from caller
      on conflict (key_id) do update set
        arrival_at = case when ${fits} then ${nextArrival} else r.arrival_at end,
        allowed = ${fits}
      returning allowed, arrival_at
    )
    select caller.account_id, caller.key_id, caller.prefix, caller.mode, caller.rate_limit_per_minute, rate.allowed,
      extract(epoch from rate.arrival_at - caller.now_at)::float8 as ahead_seconds
      ${columns ? `, ${columns.select}` : ''}
    from caller cross join rate ${columns?.joins ?? ''}`;
}

export function rateLimitState(limit: number, allowed: boolean, aheadSeconds: number): RateLimitState {
  const spacing = 60 / limit;
  const ahead = Math.max(0, aheadSeconds);
  return {
    allowed,
    limit,
    remaining: Math.max(0, Math.floor((60 - ahead) / spacing + 1e-6)),
    resetSeconds: Math.ceil(ahead),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(ahead + spacing - 60)),
  };
}
