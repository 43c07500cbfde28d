/** What an operator does to a task. The audit log is written after it: an end of a task must not hang on the log. */
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
  const task = await cancelTask(deps, undefined, taskId);
  await recordTaskChange(deps.db, actor, 'task.cancel', task, { credits_charged: task.creditsCharged ?? 0 });
  return task;
}

/** @throws NOT_FOUND, TASK_NOT_CANCELLABLE when it has ended */
export async function requeueForOperator(
  deps: Omit<TaskChangeDependencies, 'metrics'>,
  actor: string,
  taskId: string,
): Promise<Task> {
  const task = await requeueTask(deps, taskId);
  await recordTaskChange(deps.db, actor, 'task.requeue', task, { job: task.jobId });
  return task;
}

async function recordTaskChange(
  db: Db,
  actor: string,
  action: string,
  { id, accountId }: Task,
  details: Record<string, unknown>,
): Promise<void> {
  await db.transaction().execute((trx) => recordAudit(trx, { actor, action, subject: id, accountId, details }));
}
