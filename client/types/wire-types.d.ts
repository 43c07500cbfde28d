/** The known words, and whatever a later version of the service may add: never assume the list is complete. */
export type Open<Words extends string> = Words | (string & Record<never, never>);
export type Action = 'translation' | 'preview_translation' | 'token_estimate' | 'glossary_extraction' | 'preview_metadata';
export type TaskStatus = 'pending' | 'completed' | 'failed' | 'cancelled';
export type TaskStage = 'queued' | 'preparing' | 'translating' | 'finalizing' | 'completed' | 'failed' | 'cancelled';
export type FileId = 'translated' | 'bilingual' | 'glossary' | 'report' | 'xliff' | 'tmx' | 'glossary_tbx' | 'corrected';
export type GlossaryStrategy = 'merge' | 'replace' | 'skip';
export type ErrorCode = 'BAD_REQUEST' | 'UNAUTHORIZED' | 'PAYMENT_REQUIRED' | 'DOWNLOAD_URL_INVALID' | 'DOWNLOAD_URL_EXPIRED' | 'READER_LINK_INVALID' | 'READER_LINK_EXPIRED' | 'ACCOUNT_SUSPENDED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'IDEMPOTENCY_CONFLICT' | 'REQUEST_IN_PROGRESS' | 'TASK_NOT_READY' | 'TASK_NOT_DOWNLOADABLE' | 'CHANGED_MEANWHILE' | 'TASK_NOT_CANCELLABLE' | 'OUTPUT_EXPIRED' | 'SOURCE_EXPIRED' | 'PAYLOAD_TOO_LARGE' | 'STORAGE_QUOTA' | 'UNSUPPORTED_MEDIA_TYPE' | 'RANGE_NOT_SATISFIABLE' | 'RATE_LIMITED' | 'INTERNAL' | 'UNAVAILABLE';
export type EventType = 'task.completed' | 'task.failed' | 'task.cancelled' | 'task.delivered' | 'task.chapter_ready' | 'balance.low' | 'webhook.disabled';
export type DeliveryStatus = 'pending' | 'delivered' | 'failed';
export interface Term {
    /** The name or term as the book has it. */
    source: string;
    /** Its translation. */
    target: string;
    /** How sure we are that it is a term. */
    confidence: number;
    /** Such as `person`, `place` or `term`. */
    type?: string;
    /** Of a person: `female`, `male` or `unknown`. */
    gender?: string;
    /** Other forms of the same name in the book. */
    aliases?: string[];
    /** How often it was found. */
    occurrences?: number;
}
export interface DownloadDescriptor {
    /** What to ask for as `file_id` of a download. */
    file_id: Open<FileId>;
    /** Made of the name of the source and the target language. */
    file_name: string;
    /** Path that answers to your Bearer key: `/api/tasks/download-file/<task_id>`. */
    url: string;
    /** Bytes. */
    file_size: number;
    /** The same word as `file_id`. */
    type: Open<FileId>;
    /** Checksum of the file, hexadecimal. */
    sha256: string;
}
/** Characters: total = translated + reused (not charged) + kept (separators, numbers) + failed (left in the source language, not charged) + untranslated. */
export interface Coverage {
    /** All characters of the range. */
    total: number;
    /** Translated for this task, and charged. */
    translated: number;
    /** Remembered by the series, not charged. */
    reused?: number;
    /** Separators, numbers and the like, which stay as they are. */
    kept: number;
    /** Left in the source language, not charged. */
    failed: number;
    /** Of a cancelled task: not finished by then. */
    untranslated?: number;
}
export interface TaskWarning {
    /** A stable word to match on. */
    code: string;
    /** The same for people. */
    message: string;
    /** How many places it is about. */
    count?: number;
}
/** Why the task failed. It has cost nothing. */
export interface TaskFault {
    /** A stable word to match on. */
    code: string;
    /** What happened and what can be done, for people. */
    message: string;
    /** Whether the same order may succeed later. */
    retryable: boolean;
}
/** The tokens of estimated_tokens, in detail. */
export interface TokenEstimate {
    /** Read by the model, with instructions and context. */
    input_tokens: number;
    /** Written by the model, at least. */
    output_tokens_low: number;
    /** Written by the model, at most. */
    output_tokens_high: number;
    /** Calls that translate. */
    segments: number;
}
/** preview_metadata: what was found about the source. */
export interface SourceMetadata {
    /** As it was sent. */
    file_name: string;
    /** Characters that char_limit leaves; all without one. */
    sample_characters: number;
    /** Characters of the whole source. */
    total_characters?: number;
    /** What of the source lies within char_limit. Every other field is about the whole source. */
    sample?: {
        /** Characters within it. */
        characters: number;
        /** Chapters that begin within it. */
        chapters: number;
        /** Paragraphs within it. */
        paragraphs: number;
    };
    /** Told by the content: `epub`, `docx`, `odt`, `fb2`, `html`, `markdown` or `txt`. */
    format?: string;
    /** Of a text file, such as `utf-8` or `gb18030`. */
    encoding?: string | null;
    /** Of the book, when the file has one. */
    title?: string | null;
    /** Of the book, when the file has one. */
    author?: string | null;
    /** What the file says of itself. */
    declared_language?: string | null;
    /** What the text shows; null when it is too short to tell. */
    detected_language?: string | null;
    /** 0 to 1: how sure, and how much of the text agrees. */
    detected_language_confidence?: number | null;
    /** Chapters with a title; 1 where there are none. */
    chapter_count?: number;
    /** In the order of the book. */
    chapters?: {
        /** From 1 on. */
        index: number;
        /** As the book has it. */
        title: string | null;
        /** Counted characters of the chapter. */
        characters: number;
    }[];
    /** Paragraphs without headings. */
    paragraph_count?: number;
    /** Images in the file. */
    images?: number;
    /** Whether readings stand above characters. */
    ruby?: boolean;
    /** `horizontal` or `vertical`. */
    writing_mode?: string;
}
export interface Task {
    /** Names the task in every other call. */
    task_id: string;
    /** What was asked for. */
    action: Open<Action>;
    /** pending until the task has ended. */
    status: Open<TaskStatus>;
    /** Never falls; 1 when completed. */
    progress?: number;
    /** What is being done now, or how it ended. */
    stage?: Open<TaskStage>;
    /** Only from GET /tasks/{task_id}, while a pending task does not get on: it waits for its turn (`WAITING_FOR_WORKER`), the engine does not answer (`ENGINE_UNAVAILABLE`), or the operator's budget of the day is used up (`ENGINE_BUDGET`). It goes on by itself. */
    stage_detail?: {
        /** New ones may come. */
        code: Open<'WAITING_FOR_WORKER' | 'ENGINE_UNAVAILABLE' | 'ENGINE_BUDGET'>;
        /** One sentence for people. */
        message: string;
    };
    /** Of the source, as it was sent. */
    file_name?: string;
    /** `auto` until detected. */
    source_lang?: string;
    /** The language that was asked for. */
    target_lang?: string;
    /** The series that the task belongs to. */
    series_id?: string;
    /** Source characters counted for the task. */
    char_count: number;
    /** Credits held for the task; for token_estimate the price of the run it describes. */
    estimated_credits?: number;
    /** Of a translation with a token_estimate as source_task_id. `applied`: it costs at most what the estimate said; `void`: it is priced anew, and quote_reason says why. */
    quote?: Open<'applied' | 'void'>;
    /** A quote is good for one translation within 7 days of its estimate, in the same series with the same style, context and terms, and with the same fields. */
    quote_reason?: Open<'NOT_COMPLETED' | 'USED' | 'EXPIRED' | 'OTHER_ORDER' | 'STYLE_CHANGED' | 'TERMS_CHANGED'>;
    /** What the task has cost; 0 when it failed. */
    credits_charged?: number;
    /** When it was created; ISO 8601, UTC. */
    created_at?: string;
    /** When it completed, failed or was cancelled. */
    ended_at?: string;
    /** When text and files were deleted; the record stays. */
    purged_at?: string;
    /** What the whole source shows; `und` when it cannot be told. */
    detected_language?: string;
    /** Of the whole source, whatever char_limit says. */
    total_characters?: number;
    /** token_estimate in a series: what one translation of it costs at most, ordered alike within 7 days. */
    billable_characters?: number;
    /** token_estimate in a series: remembered, not charged. */
    reused_characters?: number;
    /** What a language model would read and write for this text. */
    estimated_tokens?: number;
    /** The tokens of estimated_tokens, in detail. */
    token_estimate?: TokenEstimate;
    /** glossary_extraction: what was found. */
    terms?: Term[];
    /** preview_metadata: what was found about the source. */
    metadata?: SourceMetadata;
    /** `refined`: a second engine has edited the translation; `draft`: made by the engine that comes with the service, to be read beside the source; `sandbox`: invented words, no translation. */
    quality?: Open<'standard' | 'refined' | 'draft' | 'sandbox'>;
    /** Characters: total = translated + reused (not charged) + kept (separators, numbers) + failed (left in the source language, not charged) + untranslated. */
    coverage?: Coverage;
    /** What you should know about a task that did not fail. */
    warnings?: TaskWarning[];
    /** Why the task failed. It has cost nothing. */
    error?: TaskFault;
    /** The files of an ended task, until they are purged. */
    download_files?: DownloadDescriptor[];
    /** What you sent as `metadata`, such as your own `external_id`. */
    partner_metadata?: Record<string, string>;
    /** Only on tasks of a test key (`tol_test_…`): sandbox text, no credits moved. */
    livemode?: false;
}
export interface TaskList {
    tasks: Task[];
    next_cursor: string | null;
}
export interface DownloadResult {
    /** Absolute and signed; reusable, with Range and HEAD, until it expires. */
    download_url: string;
    /** Seconds. */
    expires_in: number;
    file_name: string;
    /** Bytes. */
    file_size: number;
    sha256: string;
}
export interface UsageRecord {
    /** Leading characters of the calling key. */
    api_key_prefix: string;
    /** Remaining prepaid credits: granted − charged − reserved. */
    balance_credits: number;
    /** Held for tasks that have not ended. Additive to the specification. */
    reserved_credits: number;
    /** Credits charged in the current period. */
    period_used_credits: number;
    /** ISO 8601, UTC. */
    period_start: string;
    /** Null when the period is open-ended. */
    period_end: string | null;
    /** Configured requests per minute for the key. */
    rate_limit_per_minute: number;
}
export interface LedgerLine {
    entry_id: number;
    kind: Open<'top_up' | 'hold' | 'charge' | 'release' | 'refund'>;
    credits: number;
    task_id: string | null;
    external_id: string | null;
    reference: string | null;
    /** ISO 8601, UTC. */
    created_at: string;
}
export interface LedgerPage {
    lines: LedgerLine[];
    next_cursor: string | null;
}
export interface UsageDay {
    /** In UTC. */
    day: string;
    /** Tasks that completed on this day. */
    completed: number;
    failed: number;
    cancelled: number;
    /** Source characters of the completed tasks. */
    characters: number;
    /** Credits charged for the tasks that ended on this day. */
    credits: number;
}
export interface UsageDays {
    /** One for each day, the oldest first; also days on which no task ended. */
    days: UsageDay[];
}
export interface ApiKey {
    /** Leading characters, by which you recognise the key. */
    prefix: string;
    mode: Open<'live' | 'test'>;
    /** Whether this request was made with it. */
    current: boolean;
    /** ISO 8601, UTC. */
    created_at: string;
    /** Up to half a minute late. Null when it was never used. */
    last_used_at: string | null;
    revoked_at: string | null;
}
export interface KeyList {
    /** The oldest first. */
    keys: ApiKey[];
}
export interface Language {
    /** BCP-47 code to send as source_lang or target_lang. */
    code: string;
    /** English name. */
    name: string;
    native_name: string;
    /** ISO 15924 code of the usual script. */
    script: string;
    direction: 'ltr' | 'rtl';
}
export interface LanguageList {
    languages: Language[];
    /** What is translated with your key: every language of `source` into every other one of `target`. */
    pairs: {
        source: string[];
        target: string[];
        quality: 'standard' | 'draft' | 'sandbox';
        /** The drafts are worse than those of other pairs; the operator serves them all the same. */
        experimental?: true;
    }[];
}
export interface PublishedLimits {
    max_file_bytes: number;
    max_request_bytes: number;
    /** A request in JSON or in urlencoded form; a longer text goes into a multipart request. */
    max_json_request_bytes: number;
    /** Parts of one multipart request. */
    max_parts: number;
    /** One form field other than text and glossary. */
    max_field_bytes: number;
    /** Characters of one source. */
    max_text_characters: number;
    max_glossary_bytes: number;
    max_glossary_terms: number;
    max_term_bytes: number;
    /** EPUB, DOCX and ODT: bytes when unpacked. */
    max_archive_bytes: number;
    max_archive_entries: number;
    /** Unpacked to packed, for entries above 16 MiB. */
    max_archive_ratio: number;
    max_xml_depth: number;
    /** Requests per minute of the calling key. */
    rate_limit_per_minute: number;
}
export interface Chapter {
    /** In reading order, from 1. */
    index: number;
    title: string | null;
    /** Of the source. */
    characters: number;
    /** ready: every passage of it is translated. */
    status: Open<'pending' | 'ready'>;
    /** False until the task has ended: names may still be corrected throughout. */
    final: boolean;
    translated_title: string | null;
}
export interface ChapterList {
    chapters: Chapter[];
}
export interface ChapterText {
    /** In reading order, from 1. */
    index: number;
    title: string | null;
    /** Of the source. */
    characters: number;
    /** ready: every passage of it is translated. */
    status: Open<'pending' | 'ready'>;
    /** False until the task has ended: names may still be corrected throughout. */
    final: boolean;
    blocks: {
        /** As in the report. */
        id: string;
        /** heading, paragraph, verse, list-item, cell, note, caption or label. */
        kind: string;
        source: string;
        /** Null while it is not translated. */
        translation: string | null;
        /** `kept` where nothing was to be translated; otherwise what a reader should look at. */
        flags: string[];
    }[];
}
export interface ReaderLink {
    link_id: string;
    /** Open it in a browser. Everybody who has it can read the book until it expires. */
    url: string;
    expires_at: string;
    /** Seconds. */
    expires_in: number;
    editable: boolean;
}
export interface CorrectionResult {
    /** Paragraphs whose translation is now the corrected one. */
    taken: number;
    /** Paragraphs that came back as they were. */
    unchanged: number;
    /** Units that were not taken; `refusals` says why. */
    refused: number;
    /** The first 100. */
    refusals: {
        /** The unit id, or the beginning of its source. */
        unit: string;
        reason: Open<'DAMAGED_TAGS' | 'EMPTY_TARGET' | 'CORRECTED_TWICE' | 'UNKNOWN_MARKUP' | 'OTHER_LANGUAGES' | 'UNKNOWN_UNIT'>;
    }[];
    /** Paragraphs that somebody else has corrected since they were exported: what is there stays, unless `on_conflict=replace` is asked for. */
    conflicting: number;
    /** The first 100. */
    conflicts: {
        /** The unit id, or the beginning of its source. */
        unit: string;
        /** The beginning of what the paragraph says now. */
        current: string;
        /** The beginning of what was sent. */
        sent: string;
    }[];
    /** Paragraphs whose unit is `final` or `approved` in XLIFF and as it was translated: an editor has looked at them. */
    approved: number;
}
export interface Event {
    /** Also the `webhook-id` of its deliveries. Ids sort in the order of the feed. */
    id: string;
    type: Open<EventType>;
    /** ISO 8601, UTC. */
    created_at: string;
    /** For task.* the task as GET /tasks/{task_id} shows it, without terms and metadata. */
    data: {
        [name: string]: unknown;
    };
}
export interface EventPage {
    events: Event[];
    /** Send it as `after` to go on from here; there also when the page is empty. */
    next_after: string;
}
export interface Webhook {
    webhook_id: string;
    url: string;
    description: string;
    /** The types to send. */
    events: Open<EventType>[];
    enabled: boolean;
    /** Why we gave up on it: it answered 410, or five days of nothing but failure. */
    disabled_reason: Open<'gone' | 'failing'> | null;
    failing_since: string | null;
    /** Until then the secret from before the last rotation signs too. */
    previous_secret_until: string | null;
    /** ISO 8601, UTC. */
    created_at: string;
    /** Only on webhooks of a test key. */
    livemode?: false;
}
export interface WebhookWithSecret {
    webhook_id: string;
    url: string;
    description: string;
    /** The types to send. */
    events: Open<EventType>[];
    enabled: boolean;
    /** Why we gave up on it: it answered 410, or five days of nothing but failure. */
    disabled_reason: Open<'gone' | 'failing'> | null;
    failing_since: string | null;
    /** Until then the secret from before the last rotation signs too. */
    previous_secret_until: string | null;
    /** ISO 8601, UTC. */
    created_at: string;
    /** Only on webhooks of a test key. */
    livemode?: false;
    /** `whsec_` + base64. Shown only now. */
    secret: string;
}
export interface WebhookList {
    webhooks: Webhook[];
}
export interface WebhookTest {
    delivered: boolean;
    duration_ms: number;
    status_code: number | null;
    /** Null when the endpoint accepted with a 2xx answer. */
    error: Open<'status' | 'redirect' | 'timeout' | 'connection' | 'tls' | 'malformed_answer' | 'host_not_found' | 'address_not_allowed' | 'url_not_allowed'> | null;
    /** The first 1 KB of the answer. */
    answer: string | null;
}
export interface Delivery {
    delivery_id: string;
    event_id: string;
    event_type: Open<EventType>;
    status: Open<DeliveryStatus>;
    next_attempt_at: string | null;
    /** ISO 8601, UTC. */
    created_at: string;
    attempts: {
        number: number;
        /** ISO 8601, UTC. */
        attempted_at: string;
        duration_ms: number;
        status_code: number | null;
        /** Null when the endpoint accepted with a 2xx answer. */
        error: Open<'status' | 'redirect' | 'timeout' | 'connection' | 'tls' | 'malformed_answer' | 'host_not_found' | 'address_not_allowed' | 'url_not_allowed'> | null;
        /** The first 1 KB of the answer. */
        answer: string | null;
    }[];
}
export interface DeliveryPage {
    deliveries: Delivery[];
    next_cursor: string | null;
}
export interface Redelivery {
    /** The new delivery of the same event, under the same `webhook-id`. */
    delivery_id: string;
}
export interface Series {
    /** `ser_` and 26 characters. */
    series_id: string;
    title: string;
    /** Null: detected for every volume. */
    source_lang: string | null;
    target_lang: string;
    style: string | null;
    /** What you sent as `metadata`. */
    metadata: Record<string, string>;
    /** ISO 8601, UTC. */
    created_at: string;
    /** Not in lists. */
    counts?: {
        tasks: number;
        terms: number;
        remembered_paragraphs: number;
        /** Of their sources. */
        remembered_characters: number;
    };
    /** Only on series of a test key. */
    livemode?: false;
}
export interface SeriesList {
    series: Series[];
    next_cursor: string | null;
}
export interface SeriesTerm {
    source: string;
    target: string;
    type: string;
    gender: string;
    aliases: string[];
    note: string | null;
    /** `supplied` and `corrected` terms decide over what is found in the book. */
    origin: Open<'supplied' | 'extracted' | 'corrected'>;
    first_task_id: string | null;
    occurrences: number;
}
export interface SeriesTermPage {
    terms: SeriesTerm[];
    next_cursor: string | null;
}
export interface TermsSet {
    /** How many were set. */
    terms: number;
}
export interface SeriesSheet {
    /** Null when nothing is settled. */
    sheet: {
        narrator?: string;
        tense?: string;
        register?: string;
        spelling?: string;
        honorifics?: string;
        titles?: string;
        units?: string;
        idioms?: string;
        foreign_words?: string;
        thoughts?: string;
        letters?: string;
        verse?: string;
        sounds?: string;
        /** Who says which form of "you" to whom. */
        address?: {
            from: string;
            to: string;
            form: string;
        }[];
        /** How main characters speak. */
        voices?: {
            name: string;
            voice: string;
        }[];
        /** What comes back word for word, and its rendering. */
        phrases?: {
            source: string;
            target: string;
        }[];
    } | null;
}
export interface CorrectionCounts {
    taken: number;
    /** What the series would have delivered anyway. */
    unchanged: number;
    refused: number;
    /** The first hundred: their place in what was sent, from 0, and why. */
    refusals: {
        index: number;
        /** The id of the unit in a file. */
        unit?: string;
        reason: Open<'DAMAGED_TAGS' | 'EMPTY_TARGET' | 'CORRECTED_TWICE' | 'UNKNOWN_MARKUP' | 'OTHER_LANGUAGES' | 'UNKNOWN_SOURCE' | 'BAD_TEXT'>;
    }[];
    /** Paragraphs that somebody else has corrected since they were exported: what is there stays, unless `on_conflict=replace` is asked for. */
    conflicting: number;
    /** The first 100. */
    conflicts: {
        /** The unit id, or the beginning of its source. */
        unit: string;
        /** The beginning of what the paragraph says now. */
        current: string;
        /** The beginning of what was sent. */
        sent: string;
    }[];
    /** Names that are corrected in every paragraph of every book of the series that has them: terms of the series from now on. */
    terms: {
        source: string;
        target: string;
    }[];
}
export interface ParagraphHistory {
    block_id: string;
    source: string;
    /** What was translated. */
    machine: string;
    /** What is delivered now. */
    current: string;
    corrected: boolean;
    /** Earlier corrections, the latest first; the last ten are kept. */
    earlier: {
        text: string;
        saved_at: string;
    }[];
}
export interface ErrorBody {
    code: Open<ErrorCode>;
    /** One sentence for people. Match on `code`, never on this. */
    message: string;
    details?: {
        /** The parameter at fault. */
        field?: string;
        /** A stable word that narrows the code; new ones may come. */
        reason?: string;
        /** The accepted values, where the set is closed. */
        allowed?: string[];
        [name: string]: unknown;
    };
    /** Also in the X-Request-Id header; quote it when you ask for help. */
    request_id: string;
}
export interface ListTasksQuery {
    limit?: number;
    /** From `next_cursor` of the page before. */
    cursor?: string;
    status?: TaskStatus;
    action?: Action;
    external_id?: string;
    series_id?: string;
}
export interface ListLedgerQuery {
    limit?: number;
    /** From `next_cursor` of the page before. */
    cursor?: string;
}
export interface ListUsageDaysQuery {
    days?: number;
}
export interface DownloadQuery {
    file_id?: FileId;
}
export interface ListEventsQuery {
    /** An event id, or `latest` for what comes from now on. Without it, from the oldest kept. */
    after?: string;
    /** Comma-separated, of task.completed, task.failed, task.cancelled, task.delivered, task.chapter_ready, balance.low, webhook.disabled. Without it, all but task.chapter_ready. */
    types?: string;
    limit?: number;
}
export interface ListDeliveriesQuery {
    limit?: number;
    /** From `next_cursor` of the page before. */
    cursor?: string;
    status?: DeliveryStatus;
}
export interface NewWebhook {
    /** An https address that is reachable from the internet. */
    url: string;
    /** The types to send. */
    events: EventType[];
    /** For yourself. */
    description?: string;
}
export interface WebhookChange {
    /** An https address that is reachable from the internet. */
    url?: string;
    /** The types to send. */
    events?: EventType[];
    /** For yourself. */
    description?: string;
    /** Disabling gives up what is still to be delivered. */
    enabled?: boolean;
}
export interface ListSeriesQuery {
    limit?: number;
    /** From `next_cursor` of the page before. */
    cursor?: string;
}
export interface ListSeriesTermsQuery {
    limit?: number;
    /** From `next_cursor` of the page before. */
    cursor?: string;
}
export interface NewSeries {
    title: string;
    /** BCP-47 code from GET /languages. */
    target_lang: string;
    /** BCP-47 code; default `auto`. */
    source_lang?: string;
    /** How its books shall read, in your words. */
    style?: string;
    metadata?: Record<string, string>;
}
export interface SeriesChange {
    title?: string;
    /** Null takes it away. Another style makes every paragraph new. */
    style?: string | null;
    metadata?: Record<string, string>;
}
export interface TermsToSet {
    /** What is left out of a term that the series has stays as it is. A term that is set to what it is changes nothing. */
    terms: {
        source: string;
        target: string;
        type?: string;
        gender?: string;
        aliases?: string[];
        case_sensitive?: boolean;
        note?: string | null;
        /** Ignored: as GET shows it. */
        origin?: string;
        /** Ignored: as GET shows it. */
        first_task_id?: string | null;
        /** Ignored: as GET shows it. */
        occurrences?: number;
    }[];
}
/** What was settled before the first page: a line for each decision, in English. */
export interface Sheet {
    narrator?: string;
    tense?: string;
    register?: string;
    spelling?: string;
    honorifics?: string;
    titles?: string;
    units?: string;
    idioms?: string;
    foreign_words?: string;
    thoughts?: string;
    letters?: string;
    verse?: string;
    sounds?: string;
    /** Who says which form of "you" to whom. */
    address?: {
        from: string;
        to: string;
        form: string;
    }[];
    /** How main characters speak. */
    voices?: {
        name: string;
        voice: string;
    }[];
    /** What comes back word for word, and its rendering. */
    phrases?: {
        source: string;
        target: string;
    }[];
}
export interface Correction {
    /** The paragraph of the source, with its inline tags or without any. */
    source: string;
    /** The paragraph as it should read, with the tags of `source`. */
    target: string;
    /** The translation that the correction was made from. If the paragraph says something else by now, it is a conflict. */
    exported?: string;
}
export interface TaskForm {
    action: Action;
    /** BCP-47 code from GET /languages; optional for token_estimate and preview_metadata. */
    target_lang?: string;
    /** BCP-47 code; default `auto`. */
    source_lang?: string;
    /** Process only this many opening characters. */
    char_limit?: string;
    /** `true`: the characters of char_limit begin at the first chapter of prose, behind imprint, contents and preface. */
    skip_front_matter?: 'true' | 'false';
    /** For file uploads without char_limit: credits to reserve. */
    estimated_chars?: string;
    /** JSON object: source term to translation, or to {target, type, gender, aliases, case_sensitive, note}. */
    glossary?: string;
    /** `merge`: your terms and those that are found, yours first. `replace`: yours alone. `skip`: those that are found alone. */
    glossary_strategy?: GlossaryStrategy;
    /** `false`: a pair that only the draft engine serves is refused (400, NO_ENGINE_FOR_PAIR) instead of drafted. */
    accept_draft?: 'true' | 'false';
    /** Comma-separated files to make besides the book: bilingual, glossary, report, xliff, tmx, glossary_tbx. Default: translated, bilingual, glossary, report. */
    outputs?: string;
    /** JSON object of up to 16 strings, returned as partner_metadata; `external_id` can be searched for. */
    metadata?: string;
    /** How the translation shall read, in your words. In a series it takes the place of the style of the series. For translation, preview_translation and token_estimate. */
    style?: string;
    /** What the translator should know: what came before, who is who, what a word means. For translation, preview_translation and token_estimate. */
    context?: string;
    /** The source, when it is not sent as a file. */
    text?: string;
    /** Instead of a file or text: take the source of an earlier task. Needs no estimated_chars. */
    source_task_id?: string;
    /** The series it belongs to: what the series remembers is reused and not charged. */
    series_id?: string;
    /** A name for `text`. */
    file_name?: string;
    /** The source: TXT, Markdown, HTML, EPUB, DOCX, FB2 or ODT. */
    file?: Blob;
}
