/** Gives a pending task a new job: for one whose job has vanished or given up, and by an operator's wish. */

import { AppError } from '../errors.ts';
import type { Platform } from '../platform/platform.ts';
import type { Trx } from '../platform/postgres.ts';
import type { Task } from './task.ts';
import { countPending, lockTask, pendingJobs, setJob } from './task-store.ts';

/** The job it had is cancelled first, so that never two run it. @throws NOT_FOUND, TASK_NOT_CANCELLABLE when it has ended */
export async function requeueTask(
  { db, queue }: Pick<Platform, 'db' | 'queue'>,
  taskId: string,
  /** In the same transaction. */
  alsoDo: (trx: Trx, requeued: Task) => Promise<void> = async () => {},
): Promise<Task> {
  return await db.transaction().execute(async (trx) => {
    const task = await lockTask(trx, taskId);
    if (task.status !== 'pending')
      throw new AppError('TASK_NOT_CANCELLABLE', `The task has ended: it is ${task.status}.`);
    await queue.cancel(trx, task.lane, task.jobId);
    // It counts itself among the waiting ones.
    const ahead = Math.max(0, (await countPending(trx, task.accountId, task.lane)) - 1);
    const jobId = await queue.enqueue(trx, { taskId, accountId: task.accountId, lane: task.lane, ahead });
    await setJob(trx, taskId, jobId);
    const requeued = { ...task, jobId };
    await alsoDo(trx, requeued);
    return requeued;
  });
}

/** A task without a job would keep its hold for ever. Returns how many were given a new one. */
export async function reconcileTasks({ db, queue, log }: Pick<Platform, 'db' | 'queue' | 'log'>): Promise<number> {
  let requeued = 0;
  for (const { id: taskId, lane, jobId } of await pendingJobs(db)) {
    if (await queue.isOpen(lane, jobId)) continue;
    try {
      await requeueTask({ db, queue }, taskId);
      requeued += 1;
      log.warn({ task: taskId }, 'the job of this task was gone; it has a new one');
    } catch (err) {
      log.warn({ task: taskId, err }, 'the task could not be given a new job');
    }
  }
  return requeued;
}
