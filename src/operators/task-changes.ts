/** What an operator does to a task. Each change and its entry in the audit log are one transaction. */
import { AppError } from '../errors.ts';
import type { Platform } from '../platform/platform.ts';
import type { Db } from '../platform/postgres.ts';
import type { OutputMaker } from '../reading/output-maker.ts';
import { createReaderLink, readerPath } from '../reading/reader-link.ts';
import { downloadLifetimeSeconds, signedDownloadPath } from '../tasks/download-links.ts';
import { downloadableTask } from '../tasks/downloadable-task.ts';
import { cancelTask } from '../tasks/end-task.ts';
import type { CreateTaskDependencies } from '../tasks/order-task.ts';
import { requeueTask } from '../tasks/requeue-task.ts';
import { retryTask } from '../tasks/retry-task.ts';
import { actions, type Task, type TaskOutput } from '../tasks/task.ts';
import { recordAudit } from './audit-store.ts';
import { findStoredTask } from './task-story-store.ts';

/** @throws NOT_FOUND, TASK_NOT_CANCELLABLE */
export async function cancelForOperator(
  deps: Pick<Platform, 'db' | 'queue' | 'metrics'>,
  actor: string,
  taskId: string,
): Promise<Task> {
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
  deps: Pick<Platform, 'db' | 'queue'>,
  actor: string,
  taskId: string,
): Promise<Task> {
  return await requeueTask(deps, taskId, (trx, { accountId, jobId }) =>
    recordAudit(trx, { actor, action: 'task.requeue', subject: taskId, accountId, details: { job: jobId } }),
  );
}

/** @returns the id of the new task. @throws NOT_FOUND, TASK_NOT_READY when it has not failed, and what a create call throws */
export async function retryForOperator(deps: CreateTaskDependencies, actor: string, taskId: string): Promise<string> {
  const { task } = await findStoredTask(deps.db, taskId);
  const retriedAs = await retryTask(deps, task);
  const { accountId } = task;
  await recordAudit(deps.db, { actor, action: 'task.retry', subject: taskId, accountId, details: { task: retriedAs } });
  return retriedAs;
}

/**
 * A way to download a file of a partner; that somebody took it is written down. It dies with the key of the task.
 * @returns a path below the root of the service
 * @throws NOT_FOUND, TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED
 */
export async function downloadForOperator(
  db: Db,
  actor: string,
  { taskId, fileId }: { taskId: string; fileId: string },
  signingKey: Buffer,
): Promise<string> {
  const { keyId } = await takeFile(db, actor, taskId, fileId);
  const expiresAtSeconds = Math.floor(Date.now() / 1000) + downloadLifetimeSeconds;
  return signedDownloadPath({ taskId, fileId, keyId, expiresAtSeconds }, signingKey);
}

/**
 * The same for who has the storage at hand. What the task was made without is made first.
 * @throws NOT_FOUND, TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED, STORAGE_QUOTA
 */
export async function fileForOperator(
  { db, maker }: { db: Db; maker: OutputMaker },
  actor: string,
  { taskId, fileId }: { taskId: string; fileId: string },
): Promise<TaskOutput> {
  return await maker.listed(await takeFile(db, actor, taskId, fileId), fileId);
}

async function takeFile(db: Db, actor: string, taskId: string, fileId: string): Promise<Task> {
  const { accountId, sandbox } = (await findStoredTask(db, taskId)).task;
  const task = await downloadableTask(db, { accountId, sandbox }, taskId, fileId);
  await recordAudit(db, { actor, action: 'task.download', subject: taskId, accountId, details: { file: fileId } });
  return task;
}

const readSeconds = 3_600;

export function isReadable(task: Pick<Task, 'action' | 'status' | 'purgedAt'>): boolean {
  return actions[task.action].producesFiles && task.status !== 'failed' && !task.purgedAt;
}

/**
 * A way to read a partner's book for an hour; that somebody looked is written down. The link dies with the key of the task.
 * @returns a path below the root of the service
 * @throws NOT_FOUND, TASK_NOT_DOWNLOADABLE
 */
export async function openForOperator(db: Db, actor: string, taskId: string, signingKey: Buffer): Promise<string> {
  const { task } = await findStoredTask(db, taskId);
  if (!isReadable(task)) throw new AppError('TASK_NOT_DOWNLOADABLE', 'This task has no book that could be read.');
  const link = await db.transaction().execute(async (trx) => {
    const { keyId, accountId } = task;
    const options = { keyId, editable: false, forOperator: true, expiresInSeconds: readSeconds };
    const made = await createReaderLink(trx, task, options);
    const details = { link: made.id };
    await recordAudit(trx, { actor, action: 'task.read', subject: taskId, accountId, details });
    return made;
  });
  return readerPath(link, signingKey);
}
