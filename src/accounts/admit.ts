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

/** Two, so that we prepare one while the other is in the database; more would only make the batches smaller. */
const maxUnderWay = 2;
/** A statement holds the rows of its keys until it ends, so it stays short. */
const maxTogether = 32;

/** @param namedStatements see `Database` */
export function createAdmissions(pool: Pool, namedStatements = true): Admissions {
  const lines = new Map<string, AdmissionLine>();
  return {
    admit(keyHash, columns) {
      const name = columns?.name ?? '';
      const line = lines.get(name) ?? new AdmissionLine(pool, columns, namedStatements);
      lines.set(name, line);
      return line.admit(keyHash);
    },
  };
}

interface Waiting {
  keyHash: Buffer;
  resolve(admission: Admission | undefined): void;
  reject(error: unknown): void;
}

/** The requests that want the same columns. */
class AdmissionLine {
  readonly #pool: Pool;
  readonly #statement: AdmissionStatement;
  readonly #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(pool: Pool, columns: AdmissionColumns | undefined, named: boolean) {
    this.#pool = pool;
    this.#statement = admissionStatement(columns, named);
  }

  admit(keyHash: Buffer): Promise<Admission | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ keyHash, resolve, reject });
      this.#send();
    });
  }

  #send(): void {
    while (this.#underWay < maxUnderWay && this.#waiting.length > 0) {
      const together = this.#waiting.splice(0, maxTogether);
      this.#underWay++;
      void this.#decide(together).finally(() => {
        this.#underWay--;
        this.#send();
      });
    }
  }

  async #decide(together: readonly Waiting[]): Promise<void> {
    const byKey = [...Map.groupBy(together, ({ keyHash }) => keyHash.toString('latin1')).values()];
    try {
      const asked = byKey.map((requests) => ({ keyHash: requests[0]?.keyHash, wanted: requests.length }));
      const rows = await this.#statement.run(this.#pool, asked);
      const found = new Map(rows.map((row) => [row.place, row]));
      for (const [i, requests] of byKey.entries()) {
        const row = found.get(i + 1);
        for (const [n, { resolve }] of requests.entries()) resolve(row && admissionOf(row, n + 1));
      }
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  }
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
