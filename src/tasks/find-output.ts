import { AppError, badRequest } from '../errors.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db } from '../platform/postgres.ts';
import { outputFileIds } from './output-files.ts';
import { filesAreToCome, type Task, type TaskOutput } from './task.ts';
import { findTask, readOutputs } from './task-store.ts';

/**
 * The file of a task that a partner wants to download.
 * @throws NOT_FOUND, BAD_REQUEST, TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED
 */
export async function findOutput(
  db: Db,
  owner: Owner,
  taskId: string,
  fileId = 'translated',
): Promise<{ task: Task; output: TaskOutput }> {
  const task = await findTask(db, owner, taskId);
  if (!(outputFileIds as readonly string[]).includes(fileId)) {
    throw badRequest('There is no such file.', { field: 'file_id', reason: 'UNKNOWN_VALUE', allowed: outputFileIds });
  }
  if (task.purgedAt) throw new AppError('OUTPUT_EXPIRED', 'The files of this task were removed.');
  if (filesAreToCome(task))
    throw new AppError('TASK_NOT_READY', 'The task is not finished yet.', { retryAfterSeconds: 5 });
  const output = (await readOutputs(db, taskId)).find((candidate) => candidate.fileId === fileId);
  if (!output) throw new AppError('TASK_NOT_DOWNLOADABLE', 'This task has no file to download.');
  return { task, output };
}
