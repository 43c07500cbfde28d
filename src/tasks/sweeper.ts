/** House-keeping: retention, stored objects that no task owns, and tasks whose job is gone. */

import { sweepEvents } from '../events/event-upkeep.ts';
import type { Log } from '../platform/log.ts';
import type { Platform } from '../platform/platform.ts';
import type { WorkFolder } from '../platform/work-folder.ts';
import { claimChore } from './chore-store.ts';
import { purgeTask } from './end-task.ts';
import { dueObjects } from './object-store.ts';
import { findExpired } from './purge-store.ts';
import { reconcileTasks } from './requeue-task.ts';
import { discardObjects } from './stored-objects.ts';

export interface SweeperOptions extends Pick<Platform, 'db' | 'storage' | 'log'> {
  /** Temporary files; what dead processes of this machine left is removed too. */
  work?: WorkFolder;
  retentionDays: number;
}

const sweepIntervalMs = 10 * 60_000;
const reconcileIntervalMs = 60_000;
const batch = 100;

/** Runs on timers that do not keep the process alive; the returned function stops a running sweep after its current object. */
export function startSweeper(options: SweeperOptions & Pick<Platform, 'queue'>): () => Promise<void> {
  const { db, log, storage, work } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const chores = [
    repeat(log, sweepIntervalMs, async () => {
      // What lies on this machine's own disk is every process's own to clean; the rest is done by one of all.
      await work?.removeLeftovers();
      await storage.sweepLeftovers?.();
      if (await claimChore(db, 'sweep', sweepIntervalMs)) await sweep(options, new Date(), signal);
    }),
    repeat(log, reconcileIntervalMs, async () => {
      if (await claimChore(db, 'reconcile', reconcileIntervalMs)) await reconcileTasks(options);
    }),
  ];
  return async () => {
    stopping.abort();
    await Promise.all(chores.map((stop) => stop()));
  };
}

/** At once too: a machine that is never on for a whole interval keeps its promises about old texts as well. */
function repeat(log: Log, intervalMs: number, chore: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  const next = () => {
    running = running.then(chore).catch((err) => log.warn({ err }, 'house-keeping failed; it will be tried again'));
  };
  next();
  const timer = setInterval(next, intervalMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** One task or object that fails does not keep the others: it is logged and tried again by the next sweep. */
export async function sweep(
  { db, storage, retentionDays, log }: SweeperOptions,
  now = new Date(),
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  await sweepEvents(db);
  await untilNone(
    (limit) => findExpired(db, retentionDays, limit),
    async (id) => {
      try {
        await purgeTask({ db, storage }, id);
        log.info({ task: id }, 'text removed after its retention');
      } catch (err) {
        log.warn({ task: id, err }, 'text could not be removed; the next sweep tries again');
      }
    },
    signal,
  );
  await untilNone(
    (limit) => dueObjects(db, now, limit),
    (key) => discardObjects({ db, storage, log }, [key]),
    signal,
  );
}

/** Each of them once: what could not be removed is found again. */
async function untilNone(
  find: (limit: number) => Promise<string[]>,
  remove: (id: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const seen = new Set<string>();
  for (let more = true; more; ) {
    const found = (await find(batch + seen.size)).filter((id) => !seen.has(id));
    for (const id of found) {
      if (signal.aborted) return;
      await remove(id);
      seen.add(id);
    }
    more = found.length >= batch;
  }
}
