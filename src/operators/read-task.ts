import { AppError } from '../errors.ts';
import type { Db } from '../platform/postgres.ts';
import { createReaderLink, readerPath } from '../reading/reader-link.ts';
import { actions, type Task } from '../tasks/task.ts';
import { recordAudit } from './audit-store.ts';
import { findStoredTask } from './task-story-store.ts';

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
