import type { Log } from '../platform/log.ts';
import type { Db } from '../platform/postgres.ts';
import type { Storage } from '../platform/storage/storage.ts';
import { forgetObjects } from './object-store.ts';

/** Removes objects that nobody needs. A failure is logged and left to the sweeper: it must not spoil the answer that is ready. */
export async function discardObjects(
  { db, storage, log }: { db: Db; storage: Storage; log: Log },
  keys: readonly string[],
): Promise<void> {
  for (const key of keys) {
    try {
      await storage.delete(key);
      await forgetObjects(db, [key]);
    } catch (err) {
      log.warn({ err, key }, 'a stored object could not be removed; the sweeper will do it');
    }
  }
}
