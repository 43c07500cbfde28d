/** The whole flow, made of the public steps and nothing else. */
import { stat } from 'node:fs/promises';
import type { CreateTaskOptions, CreateTaskParameters } from './create-task.ts';
import { type DownloadedFile, type DownloadOptions, refuseExisting } from './download-file.ts';
import { TaskCancelledError, TaskFailedError, TaskInterruptedError } from './errors.ts';
import { openSource, type Source } from './source.ts';
import type { Toledo } from './toledo.ts';
import type { WaitOptions } from './wait-for-task.ts';
import type { FileId, Task } from './wire-types.ts';

export interface FinishOptions extends WaitOptions, Pick<DownloadOptions, 'to' | 'overwrite' | 'onBytes'> {
  /** Outputs to download; default `translated` alone. With more than one, `to` has to be a folder. */
  files?: readonly FileId[] | undefined;
}

export interface TranslateFileOptions
  extends FinishOptions,
    CreateTaskOptions,
    Omit<CreateTaskParameters, 'action' | 'file' | 'text' | 'target_lang'> {
  target_lang: string;
  /** Called once the task exists: store its id, so that nothing you paid for can be lost. */
  onCreated?: ((task: Task) => void) | undefined;
}

export interface FinishedTask {
  task: Task;
  files: DownloadedFile[];
}

/** @throws what `createTask` throws; after that TaskFailedError, TaskCancelledError, TaskInterruptedError, or the signal's reason */
export async function translateFile(
  toledo: Toledo,
  source: Source,
  options: TranslateFileOptions,
): Promise<FinishedTask> {
  const { onCreated, idempotencyKey, signal, files, to, overwrite, onBytes, onProgress, file_name, ...fields } =
    options;
  // Before anything is paid for.
  if (to !== undefined && overwrite !== true) await refuseExisting(to);
  await checkFolder(files, to);
  const opened = await openSource(source, file_name);
  let task: Task;
  try {
    const file = { file: opened.blob, file_name: opened.fileName };
    // The service counts the book itself and holds what it counts when that is more than the estimate: one upload is enough.
    const estimated_chars = fields.estimated_chars ?? (fields.char_limit === undefined ? 1 : undefined);
    task = await toledo.createTask(
      { ...fields, ...file, action: 'translation', ...(estimated_chars === undefined ? {} : { estimated_chars }) },
      { idempotencyKey, signal },
    );
  } finally {
    await opened.close();
  }
  onCreated?.(task);
  return await finishTask(toledo, task.task_id, { files, to, overwrite, onBytes, onProgress, signal });
}

/** @throws TaskFailedError, TaskCancelledError, TaskInterruptedError with the task's id, or the signal's reason */
export async function finishTask(toledo: Toledo, taskId: string, options: FinishOptions): Promise<FinishedTask> {
  const { files: wanted = ['translated'], to, overwrite, onBytes, onProgress, signal } = options;
  try {
    await checkFolder(wanted, to);
    const task = await toledo.wait(taskId, { onProgress, signal });
    const files: DownloadedFile[] = [];
    for (const file_id of wanted) {
      files.push(await toledo.download(taskId, { file_id, to, overwrite, onBytes, signal }));
    }
    return { task, files };
  } catch (error) {
    if (signal?.aborted || error instanceof TaskFailedError || error instanceof TaskCancelledError) throw error;
    throw new TaskInterruptedError(taskId, error);
  }
}

async function checkFolder(files: readonly FileId[] | undefined, to: string | undefined): Promise<void> {
  if (files === undefined || files.length < 2 || to === undefined) return;
  if (!(await stat(to).catch(() => undefined))?.isDirectory())
    throw new TypeError('With more than one file, `to` has to be an existing folder.');
}
