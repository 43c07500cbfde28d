/** Removes a partner's text: source, outputs, checkpoints, glossary, inline results. The task's skeleton and the ledger stay. */
import type { Db } from '../platform/postgres.ts';
import type { Storage } from '../platform/storage/storage.ts';
import { objectsOf } from './object-store.ts';
import { purgeRows } from './purge-store.ts';
import type { Task } from './task.ts';
import { lockTask } from './task-store.ts';

/**
 * Objects first, then the rows: a crash in between leaves rows that the next run purges again, never text without a row.
 * The stored answer of the create call goes too where it shows text: the terms or metadata of an inline action.
 * @throws NOT_FOUND
 */
export async function purgeTask({ db, storage }: { db: Db; storage: Storage }, taskId: string): Promise<Task> {
  for (const key of await objectsOf(db, taskId)) await storage.delete(key);
  return await db.transaction().execute(async (trx) => await purgeRows(trx, await lockTask(trx, taskId)));
}
