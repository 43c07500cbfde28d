/** How much of the storage one account may take: sources, outputs and results of everything that is not purged. */
import { AppError } from '../errors.ts';
import type { Db } from '../platform/postgres.ts';
import { storedBytesOf } from './task-store.ts';

/** A sum that is a little old lets an account go over its quota by what it sends in this time. */
const rememberedMs = 5_000;
const maxRemembered = 10_000;

export class StorageQuota {
  readonly #db: Db;
  readonly #quotaBytes: number;
  readonly #known = new Map<string, { bytes: number; atMs: number }>();

  constructor(db: Db, quotaBytes: number) {
    this.#db = db;
    this.#quotaBytes = quotaBytes;
  }

  /** Counts `sizeBytes` more. @throws STORAGE_QUOTA */
  async claim(accountId: string, sizeBytes: number): Promise<void> {
    const known = this.#known.get(accountId);
    const isFresh = known !== undefined && performance.now() - known.atMs < rememberedMs;
    const use = isFresh ? known : { bytes: await storedBytesOf(this.#db, accountId), atMs: performance.now() };
    if (this.#known.size >= maxRemembered) this.#known.clear();
    this.#known.set(accountId, use);
    if (use.bytes + sizeBytes > this.#quotaBytes) {
      throw new AppError('STORAGE_QUOTA', 'The stored files of this account would take more than its quota.', {
        details: { stored_bytes: use.bytes, quota_bytes: this.#quotaBytes },
      });
    }
    use.bytes += sizeBytes;
  }
}
