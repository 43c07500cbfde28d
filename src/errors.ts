import reasons from './reasons.json' with { type: 'json' };

/**
 * The closed table of error codes. Domain code throws `AppError` by code; only the HTTP layer reads the
 * statuses. `docs/api/errors.md` and the OpenAPI document are generated from this table.
 */
export const errorTable = {
  BAD_REQUEST: {
    status: 400,
    when: 'Invalid parameters, missing input, malformed glossary JSON, or an unreadable or unsupported file.',
  },
  UNAUTHORIZED: { status: 401, when: 'The bearer key is missing, malformed, unknown or revoked.' },
  PAYMENT_REQUIRED: { status: 402, when: 'Insufficient prepaid credits. Nothing was created.' },
  DOWNLOAD_URL_INVALID: { status: 403, when: 'The signature of a download URL does not match.' },
  DOWNLOAD_URL_EXPIRED: { status: 403, when: 'The download URL has expired. Ask for a new one.' },
  READER_LINK_INVALID: {
    status: 403,
    when: 'The signature of a reader link does not match, the link was withdrawn, or its account is suspended.',
  },
  READER_LINK_EXPIRED: { status: 403, when: 'The reader link has expired. Ask for a new one.' },
  ACCOUNT_SUSPENDED: { status: 403, when: 'The operator has suspended the account. Running tasks finish.' },
  NOT_FOUND: { status: 404, when: 'Unknown route, unknown task, or a task of another partner.' },
  METHOD_NOT_ALLOWED: { status: 405, when: 'The path exists but not with this method; see the Allow header.' },
  IDEMPOTENCY_CONFLICT: { status: 409, when: 'The Idempotency-Key was used before for a different logical request.' },
  REQUEST_IN_PROGRESS: {
    status: 409,
    when: 'The same request with the same key is still being created. Retry later with the same key.',
  },
  TASK_NOT_READY: { status: 409, when: 'The task is not finished, or its files are still being written.' },
  TASK_NOT_DOWNLOADABLE: {
    status: 409,
    when: 'The task failed, was cancelled before anything was finished, or produces no files.',
  },
  CHANGED_MEANWHILE: {
    status: 409,
    when: 'Somebody else has corrected the paragraph since it was read; `details.current` is what it says now.',
  },
  TASK_NOT_CANCELLABLE: { status: 409, when: 'The task has already ended.' },
  OUTPUT_EXPIRED: { status: 410, when: 'The outputs were purged by retention or deletion.' },
  SOURCE_EXPIRED: { status: 410, when: 'The source of the earlier task was purged by retention or deletion.' },
  PAYLOAD_TOO_LARGE: { status: 413, when: 'The request is over a published size limit; see GET /limits.' },
  STORAGE_QUOTA: {
    status: 413,
    when: 'The stored files of the account would take more than its quota. Delete tasks that are no longer needed.',
  },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, when: 'The content type of the request is not accepted here.' },
  RANGE_NOT_SATISFIABLE: { status: 416, when: 'The Range header asks for bytes beyond the end of the file.' },
  RATE_LIMITED: { status: 429, when: 'Too many requests; wait for the seconds in Retry-After.' },
  INTERNAL: { status: 500, when: 'A fault on our side. Quote the request id.' },
  UNAVAILABLE: { status: 503, when: 'The service cannot answer just now; retry after the seconds in Retry-After.' },
} as const;

/** Words of `details.reason` about a source. A word never changes its meaning. */
export const sourceReasons = reasons.source;

/** Every word of `details.reason`, for the documentation: it narrows the code, and partners may match on it. */
export const reasonTable = { ...reasons.source, ...reasons.other };

export type Reason = keyof typeof reasonTable;

export type ErrorCode = keyof typeof errorTable;

export interface AppErrorOptions {
  /** Shown to the partner under `error.details`. */
  details?: Record<string, unknown>;
  /** Becomes the Retry-After header, in whole seconds. */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** An error that a caller can understand. `message` is public: never put secrets or book text in it. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/**
 * A bug of ours that the partner sees as a bad request, because we cannot handle their file. It is the `cause` of the answer
 * and is logged as an error, so that we fix it.
 */
export class Bug extends Error {
  override readonly name = 'Bug';
}

/** The most common error: something the partner sent. `reason` is a stable word that partners may match on. */
export function badRequest(
  message: string,
  details: { field?: string; reason?: string; allowed?: readonly string[] } & Record<string, unknown> = {},
): AppError {
  return new AppError('BAD_REQUEST', message, { details });
}

/** The same for a field at fault. @param allowed the accepted values, where the set is closed */
export function badField(reason: Reason, message: string, field?: string, allowed?: readonly string[]): AppError {
  return badRequest(message, { ...(field !== undefined && { field }), reason, ...(allowed && { allowed }) });
}
