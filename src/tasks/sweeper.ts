/** House-keeping that any worker may do at any time: retention, and objects that no task owns. */
import { sweepEvents } from '../events/event-upkeep.ts';
import type { Log } from '../platform/log.ts';
import type { Db } from '../platform/postgres.ts';
import type { Storage } from '../platform/storage/storage.ts';
import type { WorkFolder } from '../platform/work-folder.ts';
import { isOwned } from './object-store.ts';
import { findExpired } from './purge-store.ts';
import { purgeTask } from './purge-task.ts';

export interface SweeperOptions {
  db: Db;
  storage: Storage;
  /** Temporary files; what dead processes of this machine left is removed too. */
  work?: WorkFolder;
  retentionDays: number;
  log: Log;
  intervalMs?: number;
}

const defaultIntervalMs = 10 * 60_000;
/** An upload takes at most ten minutes; an object this old without a task was left by a process that died. */
const orphanAgeMs = 60 * 60_000;
const batch = 100;

/** Sweeps now and then on a timer that does not keep the process alive; the returned function waits for a running sweep. */
export function startSweeper(options: SweeperOptions): () => Promise<void> {
  const { log, intervalMs = defaultIntervalMs } = options;
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running
      .then(() => sweep(options))
      .catch((err) => log.warn({ err }, 'sweep failed; it will be tried again'));
  }, intervalMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

export async function sweep(
  { db, storage, work, retentionDays, log }: SweeperOptions,
  now = new Date(),
): Promise<void> {
  await work?.removeLeftovers();
  await storage.sweepLeftovers?.(now);
  await sweepEvents(db);
  for (const id of await findExpired(db, retentionDays, batch)) {
    await purgeTask({ db, storage }, id);
    log.info({ task: id }, 'text removed after its retention');
  }
  for (const folder of ['sources', 'outputs']) {
    for await (const { key, modifiedAt } of storage.list(`${folder}/`)) {
      if (now.getTime() - modifiedAt.getTime() < orphanAgeMs) continue;
      if (!(await isOwned(db, key))) await storage.delete(key);
    }
  }
}
