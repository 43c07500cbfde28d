/** Every error the SDK throws: one class per code of the API, and a few for transport and files. */
import type { ErrorBody, ErrorCode, Task } from './wire-types.ts';

/** The base class; `code` tells the errors apart without `instanceof`. */
export class ToledoError extends Error {
  override readonly name: string = 'ToledoError';
  readonly code: string;

  constructor(code: string, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

export interface ApiFault {
  status: number;
  code: string;
  message: string;
  details: ErrorBody['details'];
  requestId: string | undefined;
  retryAfterMs: number | undefined;
}

/** The service answered and refused. A code this version does not know arrives as this class. */
export class ApiError extends ToledoError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  readonly details: ErrorBody['details'];
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(fault: ApiFault) {
    super(fault.code, fault.message);
    this.status = fault.status;
    this.details = fault.details;
    this.requestId = fault.requestId;
    this.retryAfterMs = fault.retryAfterMs;
  }
}

export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError';
}
export class UnauthorizedError extends ApiError {
  override readonly name = 'UnauthorizedError';
}
export class PaymentRequiredError extends ApiError {
  override readonly name = 'PaymentRequiredError';
  get requiredCredits(): number | undefined {
    return numberIn(this.details, 'required_credits');
  }
  get balanceCredits(): number | undefined {
    return numberIn(this.details, 'balance_credits');
  }
}
export class DownloadUrlInvalidError extends ApiError {
  override readonly name = 'DownloadUrlInvalidError';
}
export class DownloadUrlExpiredError extends ApiError {
  override readonly name = 'DownloadUrlExpiredError';
}

export class ReaderLinkInvalidError extends ApiError {
  override readonly name = 'ReaderLinkInvalidError';
}

export class ReaderLinkExpiredError extends ApiError {
  override readonly name = 'ReaderLinkExpiredError';
}
export class AccountSuspendedError extends ApiError {
  override readonly name = 'AccountSuspendedError';
}
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}
export class MethodNotAllowedError extends ApiError {
  override readonly name = 'MethodNotAllowedError';
}
export class IdempotencyConflictError extends ApiError {
  override readonly name = 'IdempotencyConflictError';
}
export class RequestInProgressError extends ApiError {
  override readonly name = 'RequestInProgressError';
}
export class TaskNotReadyError extends ApiError {
  override readonly name = 'TaskNotReadyError';
}
export class TaskNotDownloadableError extends ApiError {
  override readonly name = 'TaskNotDownloadableError';
}

export class ChangedMeanwhileError extends ApiError {
  override readonly name = 'ChangedMeanwhileError';
}
export class TaskNotCancellableError extends ApiError {
  override readonly name = 'TaskNotCancellableError';
}
export class OutputExpiredError extends ApiError {
  override readonly name = 'OutputExpiredError';
}
export class SourceExpiredError extends ApiError {
  override readonly name = 'SourceExpiredError';
}
export class PayloadTooLargeError extends ApiError {
  override readonly name = 'PayloadTooLargeError';
}

export class StorageQuotaError extends ApiError {
  override readonly name = 'StorageQuotaError';
}
export class UnsupportedMediaTypeError extends ApiError {
  override readonly name = 'UnsupportedMediaTypeError';
}
export class RangeNotSatisfiableError extends ApiError {
  override readonly name = 'RangeNotSatisfiableError';
}
export class RateLimitedError extends ApiError {
  override readonly name = 'RateLimitedError';
}
export class InternalError extends ApiError {
  override readonly name = 'InternalError';
}
export class UnavailableError extends ApiError {
  override readonly name = 'UnavailableError';
}

/** The compiler checks that this table is complete: `ErrorCode` is generated from the OpenAPI document. */
export const errorClasses: Record<ErrorCode, new (fault: ApiFault) => ApiError> = {
  BAD_REQUEST: BadRequestError,
  UNAUTHORIZED: UnauthorizedError,
  PAYMENT_REQUIRED: PaymentRequiredError,
  DOWNLOAD_URL_INVALID: DownloadUrlInvalidError,
  DOWNLOAD_URL_EXPIRED: DownloadUrlExpiredError,
  READER_LINK_INVALID: ReaderLinkInvalidError,
  READER_LINK_EXPIRED: ReaderLinkExpiredError,
  ACCOUNT_SUSPENDED: AccountSuspendedError,
  NOT_FOUND: NotFoundError,
  METHOD_NOT_ALLOWED: MethodNotAllowedError,
  IDEMPOTENCY_CONFLICT: IdempotencyConflictError,
  REQUEST_IN_PROGRESS: RequestInProgressError,
  TASK_NOT_READY: TaskNotReadyError,
  TASK_NOT_DOWNLOADABLE: TaskNotDownloadableError,
  CHANGED_MEANWHILE: ChangedMeanwhileError,
  TASK_NOT_CANCELLABLE: TaskNotCancellableError,
  OUTPUT_EXPIRED: OutputExpiredError,
  SOURCE_EXPIRED: SourceExpiredError,
  PAYLOAD_TOO_LARGE: PayloadTooLargeError,
  STORAGE_QUOTA: StorageQuotaError,
  UNSUPPORTED_MEDIA_TYPE: UnsupportedMediaTypeError,
  RANGE_NOT_SATISFIABLE: RangeNotSatisfiableError,
  RATE_LIMITED: RateLimitedError,
  INTERNAL: InternalError,
  UNAVAILABLE: UnavailableError,
};

export function apiError(fault: ApiFault): ApiError {
  const known = Object.hasOwn(errorClasses, fault.code) ? errorClasses[fault.code as ErrorCode] : ApiError;
  return new known(fault);
}

/** No answer: refused, reset, cut or not resolved. `cause` is what `fetch` threw. */
export class ConnectionError extends ToledoError {
  override readonly name: string = 'ConnectionError';
  constructor(message: string, options: { cause?: unknown } = {}, code = 'CONNECTION_FAILED') {
    super(code, message, options);
  }
}

/** No answer, or no further byte, within the time allowed for one attempt. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
  constructor(message: string) {
    super(message, {}, 'TIMEOUT');
  }
}

/** An answer that is not from the service: a proxy's page, or a wrong base URL. */
export class UnexpectedAnswerError extends ToledoError {
  override readonly name = 'UnexpectedAnswerError';
  readonly status: number;
  constructor(status: number, message: string) {
    super('UNEXPECTED_ANSWER', message);
    this.status = status;
  }
}

/** The received bytes do not match the announced size or checksum. */
export class DownloadCorruptedError extends ToledoError {
  override readonly name = 'DownloadCorruptedError';
  constructor(message: string) {
    super('DOWNLOAD_CORRUPTED', message);
  }
}

/** The path exists already; nothing was overwritten. */
export class FileExistsError extends ToledoError {
  override readonly name = 'FileExistsError';
  readonly path: string;
  constructor(path: string) {
    super('FILE_EXISTS', `${path} exists already.`);
    this.path = path;
  }
}

/** The task ended as failed. Nothing was charged; `task.error` says why. */
export class TaskFailedError extends ToledoError {
  override readonly name = 'TaskFailedError';
  readonly task: Task;
  readonly taskId: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  constructor(task: Task) {
    super(task.error?.code ?? 'TASK_FAILED', task.error?.message ?? `Task ${task.task_id} failed.`);
    this.task = task;
    this.taskId = task.task_id;
    this.retryable = task.error?.retryable ?? false;
  }
}

/** The task was cancelled; `task.credits_charged` covers what was finished by then. */
export class TaskCancelledError extends ToledoError {
  override readonly name = 'TaskCancelledError';
  readonly task: Task;
  readonly taskId: string;
  constructor(task: Task) {
    super('TASK_CANCELLED', `Task ${task.task_id} was cancelled.`);
    this.task = task;
    this.taskId = task.task_id;
  }
}

/** Waiting or downloading ended early; the task itself continues. Resume with `finishTask(taskId)`. */
export class TaskInterruptedError extends ToledoError {
  override readonly name = 'TaskInterruptedError';
  readonly taskId: string;
  constructor(taskId: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super('TASK_INTERRUPTED', `Task ${taskId} goes on, but it could not be followed to its end: ${reason}`, { cause });
    this.taskId = taskId;
  }
}

function numberIn(details: ErrorBody['details'], name: string): number | undefined {
  const value = details?.[name];
  return typeof value === 'number' ? value : undefined;
}
