/** The client: one method per endpoint, and the whole flow in `translateFile`. */
import { type CreateTaskOptions, type CreateTaskParameters, createTask } from './create-task.ts';
import { type DownloadedFile, type DownloadOptions, downloadBytes, downloadFile } from './download-file.ts';
import { TaskNotCancellableError } from './errors.ts';
import { type FollowEventsOptions, followEvents } from './follow-events.ts';
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
  ChapterList,
  ChapterText,
  Correction,
  CorrectionCounts,
  CorrectionResult,
  DeliveryPage,
  DownloadResult,
  Event,
  EventPage,
  KeyList,
  LanguageList,
  LedgerPage,
  ListDeliveriesQuery,
  ListEventsQuery,
  ListLedgerQuery,
  ListSeriesQuery,
  ListSeriesTermsQuery,
  ListTasksQuery,
  ListUsageDaysQuery,
  NewSeries,
  NewWebhook,
  ParagraphHistory,
  PublishedLimits,
  ReaderLink,
  Redelivery,
  Series,
  SeriesChange,
  SeriesList,
  SeriesSheet,
  SeriesTermPage,
  Sheet,
  Task,
  TaskList,
  TermsSet,
  TermsToSet,
  UsageDays,
  UsageRecord,
  Webhook,
  WebhookChange,
  WebhookList,
  WebhookTest,
  WebhookWithSecret,
} from './wire-types.ts';

export type ToledoOptions = TransportOptions;

export interface CorrectionOptions extends CallOptions {
  /** `replace`: also what somebody else has corrected since it was exported; otherwise that stays, and is told of. */
  on_conflict?: 'keep' | 'replace' | undefined;
}

/**
 * Every method throws an `ApiError` (one class per code), a `ConnectionError` or the reason of the signal you passed, and
 * retries where a retry can help.
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

  /** GET /usage/days: what ended on each of the last days, the oldest first. */
  async usageDays(query: ListUsageDaysQuery = {}, options: CallOptions = {}): Promise<UsageDays> {
    return await this.#get('/usage/days', query, options);
  }

  /** GET /keys: the prefixes of the account's keys. */
  async keys(options: CallOptions = {}): Promise<KeyList> {
    return await this.#get('/keys', {}, options);
  }

  /** GET /languages */
  async languages(options: CallOptions = {}): Promise<LanguageList> {
    return await this.#get('/languages', {}, options);
  }

  /** GET /limits */
  async limits(options: CallOptions = {}): Promise<PublishedLimits> {
    return await this.#get('/limits', {}, options);
  }

  /** POST /tasks. Generates an Idempotency-Key unless you give one, and keeps it over all retries. */
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
      return await this.#send('POST', `${taskPath(taskId)}/cancel`, undefined, options);
    } catch (error) {
      if (!(error instanceof TaskNotCancellableError)) throw error;
      // The answer to a successful cancel may have been lost.
      const task = await this.getTask(taskId, options);
      if (task.status === 'cancelled') return task;
      throw error;
    }
  }

  /** DELETE /tasks/{task_id}: cancels if pending, removes source and outputs. */
  async deleteTask(taskId: string, options: CallOptions = {}): Promise<Task> {
    return await this.#send('DELETE', taskPath(taskId), undefined, options);
  }

  /** GET /tasks/{task_id}/chapters: what is translated already; empty until the book has been analysed. */
  async listChapters(taskId: string, options: CallOptions = {}): Promise<ChapterList> {
    return await this.#get(`${taskPath(taskId)}/chapters`, {}, options);
  }

  /** GET /tasks/{task_id}/chapters/{index}: source and translation, paragraph by paragraph. */
  async getChapter(taskId: string, index: number, options: CallOptions = {}): Promise<ChapterText> {
    return await this.#get(`${taskPath(taskId)}/chapters/${index}`, {}, options);
  }

  /** GET /tasks/{task_id}/download: a signed URL. `download` fetches the file itself. */
  async getDownload(
    taskId: string,
    query: Pick<DownloadOptions, 'file_id'> = {},
    options: CallOptions = {},
  ): Promise<DownloadResult> {
    return await this.#get(`${taskPath(taskId)}/download`, query, options);
  }

  /** POST /tasks/{task_id}/reader-link: an address that shows the book side by side in a browser. */
  async readerLink(
    taskId: string,
    parameters: { expires_in?: number; editable?: boolean } = {},
    options: CallOptions = {},
  ): Promise<ReaderLink> {
    return await this.#send('POST', `${taskPath(taskId)}/reader-link`, parameters, options);
  }

  /** DELETE /tasks/{task_id}/reader-links: all links to this book stop working. */
  async revokeReaderLinks(taskId: string, options: CallOptions = {}): Promise<{ revoked: number }> {
    return await this.#send('DELETE', `${taskPath(taskId)}/reader-links`, undefined, options);
  }

  /** DELETE /tasks/{task_id}/reader-links/{link_id}: this link stops working. */
  async revokeReaderLink(taskId: string, linkId: string, options: CallOptions = {}): Promise<{ revoked: number }> {
    const path = `${taskPath(taskId)}/reader-links/${encodeURIComponent(linkId)}`;
    return await this.#send('DELETE', path, undefined, options);
  }

  /** POST /tasks/{task_id}/corrections: an edited XLIFF or TMX file, or pairs of source and target. */
  async correctTask(
    taskId: string,
    corrections: string | { block_id?: string; source: string; target: string; exported?: string }[],
    { on_conflict, ...options }: CorrectionOptions = {},
  ): Promise<CorrectionResult> {
    const path = `${taskPath(taskId)}/corrections${conflictQuery(on_conflict)}`;
    return await this.#send('POST', path, typeof corrections === 'string' ? corrections : { corrections }, options);
  }

  /** GET /tasks/{task_id}/corrections/{block_id}: what a paragraph says now, and what it said before. */
  async getParagraphHistory(taskId: string, blockId: string, options: CallOptions = {}): Promise<ParagraphHistory> {
    return await this.#get(`${taskPath(taskId)}/corrections/${encodeURIComponent(blockId)}`, {}, options);
  }

  /** DELETE /tasks/{task_id}/corrections/{block_id}: the paragraph has its machine translation again. */
  async restoreParagraph(taskId: string, blockId: string, options: CallOptions = {}): Promise<ParagraphHistory> {
    const path = `${taskPath(taskId)}/corrections/${encodeURIComponent(blockId)}`;
    return await this.#send('DELETE', path, undefined, options);
  }

  /** POST /tasks/{task_id}/corrected-book: the output `corrected` is then the book with its corrections. */
  async remakeBook(taskId: string, options: CallOptions = {}): Promise<Task> {
    return await this.#send('POST', `${taskPath(taskId)}/corrected-book`, undefined, options);
  }

  /** The account's events as they happen; break out of the loop to stop. */
  events(options: FollowEventsOptions = {}): AsyncGenerator<Event, never, undefined> {
    return followEvents((query, call) => this.listEvents(query, call), options);
  }

  /** GET /events: one page, oldest first. */
  async listEvents(query: ListEventsQuery = {}, options: CallOptions = {}): Promise<EventPage> {
    return await this.#get('/events', query, options);
  }

  /** POST /webhooks. Only this answer contains the secret. Not retried: a retry would create a second webhook. */
  async createWebhook(webhook: NewWebhook, options: CallOptions = {}): Promise<WebhookWithSecret> {
    return await this.#send('POST', '/webhooks', webhook, { ...options, once: true });
  }

  /** GET /webhooks */
  async listWebhooks(options: CallOptions = {}): Promise<WebhookList> {
    return await this.#get('/webhooks', {}, options);
  }

  /** GET /webhooks/{webhook_id} */
  async getWebhook(webhookId: string, options: CallOptions = {}): Promise<Webhook> {
    return await this.#get(webhookPath(webhookId), {}, options);
  }

  /** PATCH /webhooks/{webhook_id} */
  async updateWebhook(webhookId: string, changes: WebhookChange, options: CallOptions = {}): Promise<Webhook> {
    return await this.#send('PATCH', webhookPath(webhookId), changes, options);
  }

  /** DELETE /webhooks/{webhook_id} */
  async deleteWebhook(webhookId: string, options: CallOptions = {}): Promise<void> {
    await this.#send('DELETE', webhookPath(webhookId), undefined, options);
  }

  /** POST /webhooks/{webhook_id}/rotate-secret: both secrets sign for 24 hours. Not retried: the secret would be lost. */
  async rotateWebhookSecret(webhookId: string, options: CallOptions = {}): Promise<WebhookWithSecret> {
    return await this.#send('POST', `${webhookPath(webhookId)}/rotate-secret`, undefined, { ...options, once: true });
  }

  /** POST /webhooks/{webhook_id}/test: sends `webhook.test` now. */
  async testWebhook(webhookId: string, options: CallOptions = {}): Promise<WebhookTest> {
    return await this.#send('POST', `${webhookPath(webhookId)}/test`, undefined, options);
  }

  /** GET /webhooks/{webhook_id}/deliveries: one page, newest first. */
  async listDeliveries(
    webhookId: string,
    query: ListDeliveriesQuery = {},
    options: CallOptions = {},
  ): Promise<DeliveryPage> {
    return await this.#get(`${webhookPath(webhookId)}/deliveries`, query, options);
  }

  /** POST /webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver */
  async redeliver(webhookId: string, deliveryId: string, options: CallOptions = {}): Promise<Redelivery> {
    const path = `${webhookPath(webhookId)}/deliveries/${encodeURIComponent(deliveryId)}/redeliver`;
    return await this.#send('POST', path, undefined, options);
  }

  /** POST /series. Not retried: a retry would create a second series. */
  async createSeries(series: NewSeries, options: CallOptions = {}): Promise<Series> {
    return await this.#send('POST', '/series', series, { ...options, once: true });
  }

  /** GET /series: one page, newest first. */
  async listSeries(query: ListSeriesQuery = {}, options: CallOptions = {}): Promise<SeriesList> {
    return await this.#get('/series', query, options);
  }

  /** GET /series/{series_id}: with what it holds. */
  async getSeries(seriesId: string, options: CallOptions = {}): Promise<Series> {
    return await this.#get(seriesPath(seriesId), {}, options);
  }

  /** PATCH /series/{series_id} */
  async updateSeries(seriesId: string, changes: SeriesChange, options: CallOptions = {}): Promise<Series> {
    return await this.#send('PATCH', seriesPath(seriesId), changes, options);
  }

  /** DELETE /series/{series_id}: its terms and its memory go, its tasks stay. */
  async deleteSeries(seriesId: string, options: CallOptions = {}): Promise<void> {
    await this.#send('DELETE', seriesPath(seriesId), undefined, options);
  }

  /** GET /series/{series_id}/terms: one page, by source. */
  async listSeriesTerms(
    seriesId: string,
    query: ListSeriesTermsQuery = {},
    options: CallOptions = {},
  ): Promise<SeriesTermPage> {
    return await this.#get(`${seriesPath(seriesId)}/terms`, query, options);
  }

  /** PUT /series/{series_id}/terms: sets these, the others stay. A string is the text of a CSV or TBX file. */
  async setSeriesTerms(
    seriesId: string,
    terms: TermsToSet['terms'] | string,
    options: CallOptions = {},
  ): Promise<TermsSet> {
    const path = `${seriesPath(seriesId)}/terms`;
    if (typeof terms !== 'string') return await this.#send('PUT', path, { terms }, options);
    const isXml = /^\ufeff?\s*</.test(terms);
    return await this.#send('PUT', path, terms, options, isXml ? 'application/xml' : 'text/csv; charset=utf-8');
  }

  /** DELETE /series/{series_id}/terms/{source} */
  async deleteSeriesTerm(seriesId: string, source: string, options: CallOptions = {}): Promise<void> {
    await this.#send('DELETE', `${seriesPath(seriesId)}/terms/${encodeURIComponent(source)}`, undefined, options);
  }

  /** GET /series/{series_id}/sheet: how it is translated. */
  async getSeriesSheet(seriesId: string, options: CallOptions = {}): Promise<SeriesSheet> {
    return await this.#get(`${seriesPath(seriesId)}/sheet`, {}, options);
  }

  /** PUT /series/{series_id}/sheet: in place of what is there; `{}` empties it. */
  async setSeriesSheet(seriesId: string, sheet: Sheet, options: CallOptions = {}): Promise<SeriesSheet> {
    return await this.#send('PUT', `${seriesPath(seriesId)}/sheet`, sheet, options);
  }

  /**
   * POST /series/{series_id}/corrections: later tasks of the series deliver them word for word, uncharged. A string is the text
   * of an edited XLIFF or TMX file.
   */
  async correctSeries(
    seriesId: string,
    corrections: readonly Correction[] | string,
    { on_conflict, ...options }: CorrectionOptions = {},
  ): Promise<CorrectionCounts> {
    const path = `${seriesPath(seriesId)}/corrections${conflictQuery(on_conflict)}`;
    return await this.#send('POST', path, corrections, options);
  }

  /** Polls until the task has ended. @throws TaskFailedError, TaskCancelledError */
  async wait(taskId: string, options: WaitOptions = {}): Promise<Task> {
    const poll = (call: CallOptions) =>
      this.#transport.call<Task>({ method: 'GET', path: taskPath(taskId), signal: call.signal });
    return await waitForTask(poll, options);
  }

  /** Downloads an output to disk: resumable, verified by size and checksum. @throws FileExistsError, DownloadCorruptedError */
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

  /** @param content sent as JSON; a string is the text of a file of the type `fileType` */
  async #send<T>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    content: object | string | undefined,
    { signal, once = false }: CallOptions & { once?: boolean },
    fileType = 'application/xml',
  ): Promise<T> {
    const [body, type] =
      typeof content === 'string' ? [content, fileType] : [JSON.stringify(content), 'application/json; charset=utf-8'];
    const sent = content === undefined ? {} : { body, headers: { 'content-type': type } };
    return (await this.#transport.call<T>({ method, path, signal, once, ...sent })).data;
  }

  async #get<T>(path: string, query: object, options: CallOptions): Promise<T> {
    return (await this.#transport.call<T>({ method: 'GET', path, query, signal: options.signal })).data;
  }
}

function conflictQuery(onConflict: CorrectionOptions['on_conflict']): string {
  return onConflict === undefined ? '' : `?on_conflict=${onConflict}`;
}

function webhookPath(webhookId: string): string {
  return `/webhooks/${encodeURIComponent(webhookId)}`;
}

function seriesPath(seriesId: string): string {
  return `/series/${encodeURIComponent(seriesId)}`;
}

function taskPath(taskId: string): string {
  return `/tasks/${encodeURIComponent(taskId)}`;
}
