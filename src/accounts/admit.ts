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
  type AskedKey,
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
  /**
   * @param subject for columns that are read by it
   * @returns undefined when no live key has this hash
   */
  admit(keyHash: Buffer, columns?: AdmissionColumns, subject?: string): Promise<Admission | undefined>;
}

interface Request {
  keyHash: Buffer;
  subject: string;
}

/** @param namedStatements see `Database` */
export function createAdmissions(pool: Pool, namedStatements = true): Admissions {
  /** For the requests that want the same columns. */
  const lines = new Map<string, Together<Request, Admission | undefined>>();
  return {
    admit(keyHash, columns, subject = '') {
      const name = columns?.name ?? '';
      const line =
        lines.get(name) ??
        openLine(pool, admissionStatement(columns, namedStatements), columns?.subjectOf !== undefined);
      lines.set(name, line);
      return line.ask({ keyHash, subject });
    },
  };
}

function openLine(
  pool: Pool,
  statement: AdmissionStatement,
  bySubject: boolean,
): Together<Request, Admission | undefined> {
  return new Together(async (requests) => {
    const keys = new Map<string, AskedKey & { place: number }>();
    const wishes = requests.map(({ keyHash, subject }) => {
      const name = keyHash.toString('latin1');
      const key = keys.get(name) ?? { keyHash, wanted: 0, place: keys.size + 1 };
      keys.set(name, key);
      key.wanted += 1;
      return { place: key.place, n: key.wanted, subject };
    });
    const found = new Map((await statement.run(pool, [...keys.values()], wishes)).map((row) => [row.place, row]));
    return wishes.map(({ place, n }, i) => {
      const row = found.get(bySubject ? i + 1 : place);
      return row && admissionOf(row, n);
    });
  });
}

/** The n-th of a key's requests in one statement: the first ones fit, and each sees only those before it. */
function admissionOf(row: AdmissionRow, n: number): Admission {
  const { account_id, key_id, prefix, mode, rate_limit_per_minute, suspended, granted, ahead_seconds } = row;
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
    // The row as it is: to copy its other columns into an object would cost every request more than to read them.
    extra: row,
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
