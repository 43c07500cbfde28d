/** The two ways a task ends by its owner's wish: cancelling it, and deleting it with all its text. */

import { setTimeout as sleep } from 'node:timers/promises';
import { settleHold } from '../credits/hold-store.ts';
import { AppError } from '../errors.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Platform } from '../platform/platform.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import type { JobQueue } from '../platform/queue.ts';
import { looseOutputs, objectsOf } from './object-store.ts';
import { chargeOnCancel, unchargedWork } from './price.ts';
import { readWork } from './price-store.ts';
import { purgeRows } from './purge-store.ts';
import { actions, type Task } from './task.ts';
import { endTaskWithEvent } from './task-events.ts';
import { lockTask, setJob } from './task-store.ts';
import { addUncharged, readSent } from './uncharged-store.ts';

export type EndTaskDependencies = Pick<Platform, 'db' | 'queue' | 'storage' | 'metrics'>;

/** Charges what was finished (see price.ts) and releases the rest. @throws NOT_FOUND, TASK_NOT_CANCELLABLE */
export async function cancelTask(
  { db, queue, metrics }: Omit<EndTaskDependencies, 'storage'>,
  /** Undefined = whose it is does not matter: for operators. */
  owner: Owner | undefined,
  taskId: string,
  /** In the same transaction. */
  alsoDo: (trx: Trx, cancelled: Task) => Promise<void> = async () => {},
): Promise<Task> {
  const cancelled = await db.transaction().execute(async (trx) => {
    const task = await lockTask(trx, taskId, owner);
    if (task.status !== 'pending')
      throw new AppError('TASK_NOT_CANCELLABLE', `The task has ended: it is ${task.status}.`);
    const ended = await cancelLocked(trx, queue, task, { deliver: true });
    await alsoDo(trx, ended);
    return ended;
  });
  countEnd(metrics, cancelled);
  return cancelled;
}

/** Cancels if pending, then removes every trace of text; the ledger stays. Deleting twice changes nothing. @throws NOT_FOUND */
export async function deleteTask(
  { db, queue, storage, metrics }: EndTaskDependencies,
  owner: Owner,
  taskId: string,
): Promise<Task> {
  const cancelled = await db.transaction().execute(async (trx) => {
    const task = await lockTask(trx, taskId, owner);
    return task.status === 'pending' ? await cancelLocked(trx, queue, task, { deliver: false }) : undefined;
  });
  if (cancelled) {
    countEnd(metrics, cancelled);
    await untilWriterIsGone(db, cancelled);
  }
  return await purgeTask({ db, storage }, taskId);
}

/** A worker learns of the end at its next heartbeat, a second later at most, and removes what it was writing. */
const writerTimeoutMs = 5_000;

/** Nothing may be written after the purge has looked. A worker that is dead writes nothing; a sweep looks again in any case. */
async function untilWriterIsGone(db: Db, task: Task): Promise<void> {
  const deadline = Date.now() + writerTimeoutMs;
  const attempt = { taskId: task.id, number: task.attempt };
  while (Date.now() < deadline && (await looseOutputs(db, attempt)).length > 0) await sleep(100);
}

/**
 * The part of a cancellation inside the transaction that has locked the task, which is pending.
 * @param deliver whether what is finished is to be written down for the partner; a worker does that
 */
export async function cancelLocked(
  trx: Trx,
  queue: JobQueue,
  task: Task,
  { deliver }: { deliver: boolean },
): Promise<Task> {
  const work = await readWork(trx, task.id);
  const creditsCharged = await settleHold(trx, task.id, chargeOnCancel(task, work));
  await addUncharged(trx, task.accountId, unchargedWork(task, await readSent(trx, task.id), creditsCharged));
  await queue.cancel(trx, task.lane, task.jobId);
  const delivers = deliver && actions[task.action].producesFiles && work.segments > 0;
  if (delivers) {
    const { id: taskId, accountId, lane } = task;
    await setJob(trx, taskId, await queue.enqueue(trx, { taskId, accountId, lane, ahead: 0 }));
  }
  const result = delivers ? { delivery: 'pending' } : undefined;
  return await endTaskWithEvent(trx, queue, task.id, { status: 'cancelled', creditsCharged, result });
}

/** After the commit only: the counters must say what the ledger says. */
function countEnd(metrics: Metrics, task: Task): void {
  metrics.tasksEnded.inc({ action: task.action, status: task.status });
  metrics.creditsCharged.inc(task.creditsCharged ?? 0);
}

/**
 * Removes a partner's text: source, outputs, checkpoints, glossary, inline results. The task's skeleton and the ledger stay.
 * Objects first, then the rows: a crash in between leaves rows that the next run purges again, never text without a row.
 * The stored answer of the create call goes too where it shows text: the terms or metadata of an inline action.
 * @throws NOT_FOUND
 */
export async function purgeTask({ db, storage }: Pick<Platform, 'db' | 'storage'>, taskId: string): Promise<Task> {
  for (const key of await objectsOf(db, taskId)) await storage.delete(key);
  return await db.transaction().execute(async (trx) => await purgeRows(trx, await lockTask(trx, taskId)));
}
