/** Objects of tasks in storage: written before a row speaks of them, copied for another task, removed. */

import { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Platform } from '../platform/platform.ts';
import type { Db } from '../platform/postgres.ts';
import { type PutOptions, type Storage, StorageMissing, type StoredObject } from '../platform/storage/storage.ts';
import { forgetObjects, noteSource } from './object-store.ts';
import { isTextKey, readText } from './source-text-store.ts';
import type { Task } from './task.ts';
import { findTask } from './task-store.ts';

/** Removes objects that nobody needs. A failure is logged and left to the sweeper: it must not spoil the answer that is ready. */
export async function discardObjects(
  { db, storage, log }: Pick<Platform, 'db' | 'storage' | 'log'>,
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

/** Stores an object of a task that no row speaks of yet. It is noted while it is being written, and before it is complete and can be seen. */
export async function putNoted(
  { db, storage }: Pick<Platform, 'db' | 'storage'>,
  taskId: string,
  key: string,
  body: AsyncIterable<Uint8Array>,
  options: PutOptions = {},
): Promise<StoredObject> {
  const noted = noteSource(db, taskId, key);
  // The reader of the body is told at its end.
  noted.catch(() => {});
  try {
    return await storage.put(key, endingWith(body, noted), options);
  } finally {
    // The caller that removes what is left of a failure must not be overtaken.
    await noted.catch(() => {});
  }
}

async function* endingWith(body: AsyncIterable<Uint8Array>, done: Promise<void>): AsyncGenerator<Uint8Array> {
  yield* body;
  await done;
}

/**
 * The source of an earlier task, for `source_task_id`. A copy: each task owns its source, so either may be deleted without harm to the other.
 * @throws NOT_FOUND, SOURCE_EXPIRED, UNAVAILABLE
 */
export async function copySource(
  { db, storage }: Pick<Platform, 'db' | 'storage'>,
  owner: Owner,
  sourceTaskId: string,
  store: (body: AsyncIterable<Uint8Array>) => Promise<StoredObject>,
): Promise<{ earlier: Task; stored: StoredObject }> {
  const earlier = await findTask(db, owner, sourceTaskId);
  if (earlier.sourceKey === undefined) throw expired();
  try {
    return { earlier, stored: await store(await bodyOf(db, storage, earlier.sourceKey)) };
  } catch (error) {
    // Purged while it was being read: the task knows.
    if ((await findTask(db, owner, sourceTaskId)).sourceKey === undefined) throw expired();
    throw error;
  }
}

async function bodyOf(db: Db, storage: Storage, key: string): Promise<AsyncIterable<Uint8Array>> {
  if (!isTextKey(key)) return (await storage.get(key)).body;
  const text = await readText(db, key);
  if (text === undefined) throw new StorageMissing(key);
  return Readable.from([text]);
}

function expired(): AppError {
  return new AppError('SOURCE_EXPIRED', 'The source of that task was removed; send the file again.');
}
