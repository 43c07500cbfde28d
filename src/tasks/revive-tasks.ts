/** Brings the tasks of a copied database to life: jobs are not copied, because the job engine's tables are its own. */
import { requeueDeliveries } from '../events/event-upkeep.ts';
import type { Trx } from '../platform/postgres.ts';
import type { JobQueue } from '../platform/queue.ts';
import { cancelLocked } from './end-task.ts';
import { purgeRows } from './purge-store.ts';
import { lockTask, pendingInOrder, setJob } from './task-store.ts';

/** A new job for every pending task, oldest first, each behind the earlier ones of its account, and for every delivery. Returns how many tasks. */
export async function requeuePending(trx: Trx, queue: JobQueue): Promise<number> {
  const waiting = await pendingInOrder(trx);
  for (const task of waiting) await setJob(trx, task.taskId, await queue.enqueue(trx, task));
  await requeueDeliveries(trx, queue);
  return waiting.length;
}

/** What DELETE does to a task, for one whose files are gone already. @throws NOT_FOUND */
export async function deleteRows(trx: Trx, queue: JobQueue, taskId: string): Promise<void> {
  const task = await lockTask(trx, taskId);
  await purgeRows(trx, task.status === 'pending' ? await cancelLocked(trx, queue, task, { deliver: false }) : task);
}
