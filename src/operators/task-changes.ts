/** What an operator does to a task. Each change and its entry in the audit log are one transaction. */
import type { Metrics } from '../platform/metrics.ts';
import type { Db } from '../platform/postgres.ts';
import type { JobQueue } from '../platform/queue.ts';
import { cancelTask } from '../tasks/end-task.ts';
import { requeueTask } from '../tasks/requeue-task.ts';
import type { Task } from '../tasks/task.ts';
import { recordAudit } from './audit-store.ts';

export interface TaskChangeDependencies {
  db: Db;
  queue: JobQueue;
  metrics: Metrics;
}

/** @throws NOT_FOUND, TASK_NOT_CANCELLABLE */
export async function cancelForOperator(deps: TaskChangeDependencies, actor: string, taskId: string): Promise<Task> {
  return await cancelTask(deps, undefined, taskId, (trx, { accountId, creditsCharged = 0 }) =>
    recordAudit(trx, {
      actor,
      action: 'task.cancel',
      subject: taskId,
      accountId,
      details: { credits_charged: creditsCharged },
    }),
  );
}

/** @throws NOT_FOUND, TASK_NOT_CANCELLABLE when it has ended */
export async function requeueForOperator(
  deps: Omit<TaskChangeDependencies, 'metrics'>,
  actor: string,
  taskId: string,
): Promise<Task> {
  return await requeueTask(deps, taskId, (trx, { accountId, jobId }) =>
    recordAudit(trx, { actor, action: 'task.requeue', subject: taskId, accountId, details: { job: jobId } }),
  );
}
