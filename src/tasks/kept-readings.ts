/**
 * What was read of a source when it was counted is left in storage for the worker that takes the task, and removed when that has fetched it.
 * It is loose all its life: purged with its task, and removed by the sweeper once its task no longer waits for its first worker. Nothing
 * depends on it: whoever does not find it reads the source.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import type { Db } from '../platform/postgres.ts';
import { bytesPerRead, type Storage, StorageMissing } from '../platform/storage/storage.ts';
import { discardObjects } from './discard-objects.ts';
import { isNoted } from './object-store.ts';
import { putNoted } from './put-noted.ts';

interface Dependencies {
  db: Db;
  storage: Storage;
  log: Log;
}

/** No novel that is accepted has more; a process that has read a hostile file could write anything. */
const maxBytes = 64 * 1024 * 1024;

export function readingKeyOf(taskId: string): string {
  return `readings/${taskId}`;
}

/** @param path of the file that it was written to */
export async function leaveReading(deps: Dependencies, taskId: string, path: string): Promise<void> {
  const key = readingKeyOf(taskId);
  try {
    if ((await stat(path)).size > maxBytes) return;
    await putNoted(deps, taskId, key, createReadStream(path, { highWaterMark: bytesPerRead }));
  } catch (err) {
    deps.log.warn({ err, task: taskId }, 'what was read of a source could not be kept; the worker reads it again');
  }
}

/**
 * A worker that looks for tasks just when one comes to be is sooner there than what was read. It waits for that as long as reading the source
 * would take.
 */
const waits = { times: 25, ms: 20 };

/** @returns whether it is now at `path` */
export async function fetchReading(
  { db, storage, log }: Dependencies,
  taskId: string,
  path: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const key = readingKeyOf(taskId);
  for (let time = 0; ; time++) {
    try {
      const { body } = await storage.get(key, signal ? { signal } : {});
      await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
      return true;
    } catch (err) {
      const isMissing = err instanceof StorageMissing;
      if (!isMissing && !signal?.aborted)
        log.warn({ err, task: taskId }, 'what was read of a source could not be fetched; it is read again');
      if (!isMissing || time === waits.times || !(await isNoted(db, key).catch(() => false))) return false;
      await sleep(waits.ms);
    }
  }
}

/** The worker has it; another attempt reads the source. */
export async function discardReading(deps: Dependencies, taskId: string): Promise<void> {
  await discardObjects(deps, [readingKeyOf(taskId)]);
}
