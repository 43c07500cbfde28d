import { AppError, badField } from '../errors.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db } from '../platform/postgres.ts';
import { isOneOf } from '../written-values.ts';
import { outputFileIds } from './output-files.ts';
import { filesAreToCome, type Task } from './task.ts';
import { findTask } from './task-store.ts';

/**
 * The task that a partner wants to download a file of.
 * @throws NOT_FOUND, BAD_REQUEST, TASK_NOT_READY, OUTPUT_EXPIRED
 */
export async function downloadableTask(db: Db, owner: Owner, taskId: string, fileId: string): Promise<Task> {
  const task = await findTask(db, owner, taskId);
  if (!isOneOf(fileId, outputFileIds))
    throw badField('UNKNOWN_VALUE', 'There is no such file.', 'file_id', outputFileIds);
  if (task.purgedAt) throw new AppError('OUTPUT_EXPIRED', 'The files of this task were removed.');
  if (filesAreToCome(task))
    throw new AppError('TASK_NOT_READY', 'The task is not finished yet.', { retryAfterSeconds: 5 });
  return task;
}
