/** The client: one method per endpoint, and the whole flow in `translateFile`. */
import { type CreateTaskOptions, type CreateTaskParameters } from './create-task.js';
import { type DownloadedFile, type DownloadOptions } from './download-file.js';
import { type FollowEventsOptions } from './follow-events.js';
import type { Source } from './source.js';
import { type FinishedTask, type FinishOptions, type TranslateFileOptions } from './translate-file.js';
import { type CallOptions, type TransportOptions } from './transport.js';
import { type WaitOptions } from './wait-for-task.js';
import type { ChapterList, ChapterText, Correction, CorrectionCounts, CorrectionResult, DeliveryPage, DownloadResult, Event, EventPage, KeyList, LanguageList, LedgerPage, ListDeliveriesQuery, ListEventsQuery, ListLedgerQuery, ListSeriesQuery, ListSeriesTermsQuery, ListTasksQuery, ListUsageDaysQuery, NewSeries, NewWebhook, ParagraphHistory, PublishedLimits, ReaderLink, Redelivery, Series, SeriesChange, SeriesList, SeriesSheet, SeriesTermPage, Sheet, Task, TaskList, TermsSet, TermsToSet, UsageDays, UsageRecord, Webhook, WebhookChange, WebhookList, WebhookTest, WebhookWithSecret } from './wire-types.js';
export type ToledoOptions = TransportOptions;
export interface CorrectionOptions extends CallOptions {
    /** `replace`: also what somebody else has corrected since it was exported; otherwise that stays, and is told of. */
    on_conflict?: 'keep' | 'replace' | undefined;
}
/**
 * Every method throws an `ApiError` (one class per code), a `ConnectionError` or the reason of the signal you passed, and
 * retries where a retry can help.
 */
export declare class Toledo {
    #private;
    constructor(options: ToledoOptions);
    /** GET /usage: verifies the key, the balance and the rate limit. */
    usage(options?: CallOptions): Promise<UsageRecord>;
    /** GET /usage/ledger: movements of credits, newest first. */
    ledger(query?: ListLedgerQuery, options?: CallOptions): Promise<LedgerPage>;
    /** GET /usage/days: what ended on each of the last days, the oldest first. */
    usageDays(query?: ListUsageDaysQuery, options?: CallOptions): Promise<UsageDays>;
    /** GET /keys: the prefixes of the account's keys. */
    keys(options?: CallOptions): Promise<KeyList>;
    /** GET /languages */
    languages(options?: CallOptions): Promise<LanguageList>;
    /** GET /limits */
    limits(options?: CallOptions): Promise<PublishedLimits>;
    /** POST /tasks. Generates an Idempotency-Key unless you give one, and keeps it over all retries. */
    createTask(parameters: CreateTaskParameters, options?: CreateTaskOptions): Promise<Task>;
    /** GET /tasks/{task_id} */
    getTask(taskId: string, options?: CallOptions): Promise<Task>;
    /** GET /tasks: one page, newest first. */
    listTasks(query?: ListTasksQuery, options?: CallOptions): Promise<TaskList>;
    /** POST /tasks/{task_id}/cancel */
    cancelTask(taskId: string, options?: CallOptions): Promise<Task>;
    /** DELETE /tasks/{task_id}: cancels if pending, removes source and outputs. */
    deleteTask(taskId: string, options?: CallOptions): Promise<Task>;
    /** GET /tasks/{task_id}/chapters: what is translated already; empty until the book has been analysed. */
    listChapters(taskId: string, options?: CallOptions): Promise<ChapterList>;
    /** GET /tasks/{task_id}/chapters/{index}: source and translation, paragraph by paragraph. */
    getChapter(taskId: string, index: number, options?: CallOptions): Promise<ChapterText>;
    /** GET /tasks/{task_id}/download: a signed URL. `download` fetches the file itself. */
    getDownload(taskId: string, query?: Pick<DownloadOptions, 'file_id'>, options?: CallOptions): Promise<DownloadResult>;
    /** POST /tasks/{task_id}/reader-link: an address that shows the book side by side in a browser. */
    readerLink(taskId: string, parameters?: {
        expires_in?: number;
        editable?: boolean;
    }, options?: CallOptions): Promise<ReaderLink>;
    /** DELETE /tasks/{task_id}/reader-links: all links to this book stop working. */
    revokeReaderLinks(taskId: string, options?: CallOptions): Promise<{
        revoked: number;
    }>;
    /** DELETE /tasks/{task_id}/reader-links/{link_id}: this link stops working. */
    revokeReaderLink(taskId: string, linkId: string, options?: CallOptions): Promise<{
        revoked: number;
    }>;
    /** POST /tasks/{task_id}/corrections: an edited XLIFF or TMX file, or pairs of source and target. */
    correctTask(taskId: string, corrections: string | {
        block_id?: string;
        source: string;
        target: string;
        exported?: string;
    }[], { on_conflict, ...options }?: CorrectionOptions): Promise<CorrectionResult>;
    /** GET /tasks/{task_id}/corrections/{block_id}: what a paragraph says now, and what it said before. */
    getParagraphHistory(taskId: string, blockId: string, options?: CallOptions): Promise<ParagraphHistory>;
    /** DELETE /tasks/{task_id}/corrections/{block_id}: the paragraph has its machine translation again. */
    restoreParagraph(taskId: string, blockId: string, options?: CallOptions): Promise<ParagraphHistory>;
    /** POST /tasks/{task_id}/corrected-book: the output `corrected` is then the book with its corrections. */
    remakeBook(taskId: string, options?: CallOptions): Promise<Task>;
    /** The account's events as they happen; break out of the loop to stop. */
    events(options?: FollowEventsOptions): AsyncGenerator<Event, never, undefined>;
    /** GET /events: one page, oldest first. */
    listEvents(query?: ListEventsQuery, options?: CallOptions): Promise<EventPage>;
    /** POST /webhooks. Only this answer contains the secret. Not retried: a retry would create a second webhook. */
    createWebhook(webhook: NewWebhook, options?: CallOptions): Promise<WebhookWithSecret>;
    /** GET /webhooks */
    listWebhooks(options?: CallOptions): Promise<WebhookList>;
    /** GET /webhooks/{webhook_id} */
    getWebhook(webhookId: string, options?: CallOptions): Promise<Webhook>;
    /** PATCH /webhooks/{webhook_id} */
    updateWebhook(webhookId: string, changes: WebhookChange, options?: CallOptions): Promise<Webhook>;
    /** DELETE /webhooks/{webhook_id} */
    deleteWebhook(webhookId: string, options?: CallOptions): Promise<void>;
    /** POST /webhooks/{webhook_id}/rotate-secret: both secrets sign for 24 hours. Not retried: the secret would be lost. */
    rotateWebhookSecret(webhookId: string, options?: CallOptions): Promise<WebhookWithSecret>;
    /** POST /webhooks/{webhook_id}/test: sends `webhook.test` now. */
    testWebhook(webhookId: string, options?: CallOptions): Promise<WebhookTest>;
    /** GET /webhooks/{webhook_id}/deliveries: one page, newest first. */
    listDeliveries(webhookId: string, query?: ListDeliveriesQuery, options?: CallOptions): Promise<DeliveryPage>;
    /** POST /webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver */
    redeliver(webhookId: string, deliveryId: string, options?: CallOptions): Promise<Redelivery>;
    /** POST /series. Not retried: a retry would create a second series. */
    createSeries(series: NewSeries, options?: CallOptions): Promise<Series>;
    /** GET /series: one page, newest first. */
    listSeries(query?: ListSeriesQuery, options?: CallOptions): Promise<SeriesList>;
    /** GET /series/{series_id}: with what it holds. */
    getSeries(seriesId: string, options?: CallOptions): Promise<Series>;
    /** PATCH /series/{series_id} */
    updateSeries(seriesId: string, changes: SeriesChange, options?: CallOptions): Promise<Series>;
    /** DELETE /series/{series_id}: its terms and its memory go, its tasks stay. */
    deleteSeries(seriesId: string, options?: CallOptions): Promise<void>;
    /** GET /series/{series_id}/terms: one page, by source. */
    listSeriesTerms(seriesId: string, query?: ListSeriesTermsQuery, options?: CallOptions): Promise<SeriesTermPage>;
    /** PUT /series/{series_id}/terms: sets these, the others stay. A string is the text of a CSV or TBX file. */
    setSeriesTerms(seriesId: string, terms: TermsToSet['terms'] | string, options?: CallOptions): Promise<TermsSet>;
    /** DELETE /series/{series_id}/terms/{source} */
    deleteSeriesTerm(seriesId: string, source: string, options?: CallOptions): Promise<void>;
    /** GET /series/{series_id}/sheet: how it is translated. */
    getSeriesSheet(seriesId: string, options?: CallOptions): Promise<SeriesSheet>;
    /** PUT /series/{series_id}/sheet: in place of what is there; `{}` empties it. */
    setSeriesSheet(seriesId: string, sheet: Sheet, options?: CallOptions): Promise<SeriesSheet>;
    /**
     * POST /series/{series_id}/corrections: later tasks of the series deliver them word for word, uncharged. A string is the text
     * of an edited XLIFF or TMX file.
     */
    correctSeries(seriesId: string, corrections: readonly Correction[] | string, { on_conflict, ...options }?: CorrectionOptions): Promise<CorrectionCounts>;
    /** Polls until the task has ended. @throws TaskFailedError, TaskCancelledError */
    wait(taskId: string, options?: WaitOptions): Promise<Task>;
    /** Downloads an output to disk: resumable, verified by size and checksum. @throws FileExistsError, DownloadCorruptedError */
    download(taskId: string, options?: DownloadOptions): Promise<DownloadedFile>;
    /** An output in memory, such as the `report` or the `glossary`. */
    downloadBytes(taskId: string, options?: Pick<DownloadOptions, 'file_id' | 'signal'>): Promise<Uint8Array<ArrayBuffer>>;
    /** Create, wait, download. The price is reserved from a free estimate unless `estimated_chars` or `char_limit` is given. */
    translateFile(source: Source, options: TranslateFileOptions): Promise<FinishedTask>;
    /** The second half of `translateFile`: wait and download, for a task created earlier. */
    finishTask(taskId: string, options?: FinishOptions): Promise<FinishedTask>;
}
