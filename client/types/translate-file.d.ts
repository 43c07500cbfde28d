import type { CreateTaskOptions, CreateTaskParameters } from './create-task.js';
import { type DownloadedFile, type DownloadOptions } from './download-file.js';
import { type Source } from './source.js';
import type { Toledo } from './toledo.js';
import type { WaitOptions } from './wait-for-task.js';
import type { FileId, Task } from './wire-types.js';
export interface FinishOptions extends WaitOptions, Pick<DownloadOptions, 'to' | 'overwrite' | 'onBytes'> {
    /** Outputs to download; default `translated` alone. With more than one, `to` has to be a folder. */
    files?: readonly FileId[] | undefined;
}
export interface TranslateFileOptions extends FinishOptions, CreateTaskOptions, Omit<CreateTaskParameters, 'action' | 'file' | 'text' | 'target_lang'> {
    target_lang: string;
    /** Called once the task exists: store its id, so that nothing you paid for can be lost. */
    onCreated?: ((task: Task) => void) | undefined;
}
export interface FinishedTask {
    task: Task;
    files: DownloadedFile[];
}
/** @throws what `createTask` throws; after that TaskFailedError, TaskCancelledError, TaskInterruptedError, or the signal's reason */
export declare function translateFile(toledo: Toledo, source: Source, options: TranslateFileOptions): Promise<FinishedTask>;
/** @throws TaskFailedError, TaskCancelledError, TaskInterruptedError with the task's id, or the signal's reason */
export declare function finishTask(toledo: Toledo, taskId: string, options: FinishOptions): Promise<FinishedTask>;
