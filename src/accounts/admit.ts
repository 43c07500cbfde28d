/**
 * Admission of a request: whose key is it, and has it reached its rate limit? One SQL statement, on every request,
 * without a cache, so a revoked key is refused by the next request on every process.
 *
 * The limit is GCRA with a burst of one minute's worth, decided by the database's clock alone. A refused request
 * does not change the arrival time, so it costs nothing.
 *
 * Requests that arrive while a statement is running share the next one: a busy process asks once for many callers.
 */
import type { Pool } from '../platform/postgres.ts';
import { Together } from '../platform/together.ts';
import {
  type AdmissionColumns,
  type AdmissionRow,
  type AdmissionStatement,
  admissionStatement,
} from './admission-store.ts';
import type { KeyMode } from './api-key.ts';

export interface Caller {
  accountId: string;
  keyId: string;
  keyPrefix: string;
  mode: KeyMode;
  rateLimitPerMinute: number;
  /** The operator has suspended the account. */
  suspended: boolean;
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

export interface Admissions {
  /** @returns undefined when no live key has this hash */
  admit(keyHash: Buffer, columns?: AdmissionColumns): Promise<Admission | undefined>;
}

/** @param namedStatements see `Database` */
export function createAdmissions(pool: Pool, namedStatements = true): Admissions {
  /** For the requests that want the same columns. */
  const lines = new Map<string, Together<Buffer, Admission | undefined>>();
  return {
    admit(keyHash, columns) {
      const name = columns?.name ?? '';
      const line = lines.get(name) ?? openLine(pool, admissionStatement(columns, namedStatements));
      lines.set(name, line);
      return line.ask(keyHash);
    },
  };
}

function openLine(pool: Pool, statement: AdmissionStatement): Together<Buffer, Admission | undefined> {
  return new Together(async (keyHashes) => {
    const byKey = Map.groupBy(keyHashes, (keyHash) => keyHash.toString('latin1'));
    const asked = [...byKey.values()].map((requests) => ({ keyHash: requests[0], wanted: requests.length }));
    const rows = await statement.run(pool, asked);
    const found = new Map(rows.map((row) => [row.place, row]));
    const places = new Map([...byKey.keys()].map((key, i) => [key, { row: found.get(i + 1), admitted: 0 }]));
    return keyHashes.map((keyHash) => {
      const place = places.get(keyHash.toString('latin1'));
      if (place?.row === undefined) return undefined;
      place.admitted += 1;
      return admissionOf(place.row, place.admitted);
    });
  });
}

/** The n-th of a key's requests in one statement: the first ones fit, and each sees only those before it. */
function admissionOf(row: AdmissionRow, n: number): Admission {
  const {
    place,
    account_id,
    key_id,
    prefix,
    mode,
    rate_limit_per_minute,
    suspended,
    granted,
    ahead_seconds,
    ...extra
  } = row;
  const spacing = 60 / rate_limit_per_minute;
  const ahead = ahead_seconds - Math.max(0, granted - n) * spacing;
  return {
    caller: {
      accountId: account_id,
      keyId: key_id,
      keyPrefix: prefix,
      mode,
      rateLimitPerMinute: rate_limit_per_minute,
      suspended,
    },
    rateLimit: rateLimitState(rate_limit_per_minute, n <= granted, ahead),
    extra,
  };
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
