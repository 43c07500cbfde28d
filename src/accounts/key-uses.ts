/**
 * When each key was last used. The times are kept in the process and written together every half minute, because a write
 * per request would double what admission costs. An operator who looks for unused keys needs days, not milliseconds.
 */
import type { Log } from '../platform/log.ts';
import type { Db } from '../platform/postgres.ts';
import { saveKeyUses } from './account-store.ts';

const flushIntervalMs = 30_000;

export class KeyUses {
  readonly #db: Db;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #used = new Map<string, Date>();

  constructor(db: Db, log: Log) {
    this.#db = db;
    this.#log = log;
    this.#timer = setInterval(() => void this.flush(), flushIntervalMs).unref();
  }

  record(keyId: string): void {
    this.#used.set(keyId, new Date());
  }

  /** While the database is away these uses are lost: they are informative only. */
  async flush(): Promise<void> {
    if (this.#used.size === 0) return;
    const used = this.#used;
    this.#used = new Map();
    await saveKeyUses(this.#db, used).catch((err) => this.#log.warn({ err }, 'last use of keys not saved'));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
