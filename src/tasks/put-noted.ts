import type { Db } from '../platform/postgres.ts';
import type { PutOptions, Storage, StoredObject } from '../platform/storage/storage.ts';
import { noteSource } from './object-store.ts';

/** Stores an object of a task that no row speaks of yet. It is noted while it is being written, and before it is complete and can be seen. */
export async function putNoted(
  { db, storage }: { db: Db; storage: Storage },
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
