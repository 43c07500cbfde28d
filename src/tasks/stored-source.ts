/** `source_task_id`: the source of an earlier task, for a task of its own. */
import { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db } from '../platform/postgres.ts';
import { type Storage, StorageMissing, type StoredObject } from '../platform/storage/storage.ts';
import { isTextKey, readText } from './source-text-store.ts';
import type { Task } from './task.ts';
import { findTask } from './task-store.ts';

/**
 * A copy: each task owns its source, so either may be deleted without harm to the other.
 * @throws NOT_FOUND, SOURCE_EXPIRED, UNAVAILABLE
 */
export async function copySource(
  { db, storage }: { db: Db; storage: Storage },
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
