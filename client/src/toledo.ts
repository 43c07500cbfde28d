/** The client: one method per endpoint, and the whole flow in `translateFile`. */
import { type CreateTaskOptions, type CreateTaskParameters, createTask } from './create-task.ts';
import { type DownloadedFile, type DownloadOptions, downloadBytes, downloadFile } from './download-file.ts';
import { TaskNotCancellableError } from './errors.ts';
import type { Source } from './source.ts';
import {
  type FinishedTask,
  type FinishOptions,
  finishTask,
  type TranslateFileOptions,
  translateFile,
} from './translate-file.ts';
import { type CallOptions, Transport, type TransportOptions } from './transport.ts';
import { type WaitOptions, waitForTask } from './wait-for-task.ts';
import type {
  DownloadQuery,
  DownloadResult,
  LanguageList,
  LedgerPage,
  ListLedgerQuery,
  ListTasksQuery,
  PublishedLimits,
  Task,
  TaskList,
  UsageRecord,
} from './wire-types.ts';

export type ToledoOptions = TransportOptions;

/**
 * Every method throws an `ApiError` (one class per code), a `ConnectionError` or the reason of the signal you gave it, and
 * retries by itself what is worth retrying.
 */
export class Toledo {
  readonly #transport: Transport;

  constructor(options: ToledoOptions) {
    this.#transport = new Transport(options);
  }

  /** GET /usage: verifies the key, the balance and the rate limit. */
  async usage(options: CallOptions = {}): Promise<UsageRecord> {
    return await this.#get('/usage', {}, options);
  }

  /** GET /usage/ledger: movements of credits, newest first. */
  async ledger(query: ListLedgerQuery = {}, options: CallOptions = {}): Promise<LedgerPage> {
    return await this.#get('/usage/ledger', query, options);
  }

  /** GET /languages */
  async languages(options: CallOptions = {}): Promise<LanguageList> {
    return await this.#get('/languages', {}, options);
  }

  /** GET /limits */
  async limits(options: CallOptions = {}): Promise<PublishedLimits> {
    return await this.#get('/limits', {}, options);
  }

  /** POST /tasks. Sends an Idempotency-Key of its own unless you give one, and keeps it over all retries. */
  async createTask(parameters: CreateTaskParameters, options: CreateTaskOptions = {}): Promise<Task> {
    return await createTask(this.#transport, parameters, options);
  }

  /** GET /tasks/{task_id} */
  async getTask(taskId: string, options: CallOptions = {}): Promise<Task> {
    return await this.#get(taskPath(taskId), {}, options);
  }

  /** GET /tasks: one page, newest first. */
  async listTasks(query: ListTasksQuery = {}, options: CallOptions = {}): Promise<TaskList> {
    return await this.#get('/tasks', query, options);
  }

  /** POST /tasks/{task_id}/cancel */
  async cancelTask(taskId: string, options: CallOptions = {}): Promise<Task> {
    try {
      const path = `${taskPath(taskId)}/cancel`;
      return (await this.#transport.call<Task>({ method: 'POST', path, ...options })).data;
    } catch (error) {
      if (!(error instanceof TaskNotCancellableError)) throw error;
      // The answer to an attempt that did cancel may have been lost on the way.
      const task = await this.getTask(taskId, options);
      if (task.status === 'cancelled') return task;
      throw error;
    }
  }

  /** DELETE /tasks/{task_id}: cancels if pending, removes source and outputs. */
  async deleteTask(taskId: string, options: CallOptions = {}): Promise<Task> {
    return (await this.#transport.call<Task>({ method: 'DELETE', path: taskPath(taskId), ...options })).data;
  }

  /** GET /tasks/{task_id}/download: a signed URL. `download` fetches the file itself. */
  async getDownload(taskId: string, query: DownloadQuery = {}, options: CallOptions = {}): Promise<DownloadResult> {
    return await this.#get(`${taskPath(taskId)}/download`, query, options);
  }

  /** Polls until the task has ended. @throws TaskFailedError, TaskCancelledError */
  async wait(taskId: string, options: WaitOptions = {}): Promise<Task> {
    const poll = (call: CallOptions) =>
      this.#transport.call<Task>({ method: 'GET', path: taskPath(taskId), signal: call.signal });
    return await waitForTask(poll, options);
  }

  /** Brings an output to disk: resumable, verified by size and checksum. @throws FileExistsError, DownloadCorruptedError */
  async download(taskId: string, options: DownloadOptions = {}): Promise<DownloadedFile> {
    return await downloadFile(this.#transport, this.#locator(taskId, options), options);
  }

  /** An output in memory, such as the `report` or the `glossary`. */
  async downloadBytes(
    taskId: string,
    options: Pick<DownloadOptions, 'file_id' | 'signal'> = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    return await downloadBytes(this.#transport, this.#locator(taskId, options), options);
  }

  /** Create, wait, download. The price is reserved from a free estimate unless `estimated_chars` or `char_limit` is given. */
  async translateFile(source: Source, options: TranslateFileOptions): Promise<FinishedTask> {
    return await translateFile(this, source, options);
  }

  /** The second half of `translateFile`: wait and download, for a task created earlier. */
  async finishTask(taskId: string, options: FinishOptions = {}): Promise<FinishedTask> {
    return await finishTask(this, taskId, options);
  }

  #locator(taskId: string, { file_id, signal }: Pick<DownloadOptions, 'file_id' | 'signal'>) {
    return () => this.getDownload(taskId, { ...(file_id === undefined ? {} : { file_id }) }, { signal });
  }

  async #get<T>(path: string, query: object, options: CallOptions): Promise<T> {
    return (await this.#transport.call<T>({ method: 'GET', path, query, signal: options.signal })).data;
  }
}

function taskPath(taskId: string): string {
  return `/tasks/${encodeURIComponent(taskId)}`;
}
