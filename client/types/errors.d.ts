/** Every error the SDK throws: one class per code of the API, and a few for transport and files. */
import type { ErrorBody, ErrorCode, Task } from './wire-types.js';
/** The base class; `code` tells the errors apart without `instanceof`. */
export declare class ToledoError extends Error {
    readonly name: string;
    readonly code: string;
    constructor(code: string, message: string, options?: {
        cause?: unknown;
    });
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
export declare class ApiError extends ToledoError {
    readonly name: string;
    readonly status: number;
    readonly details: ErrorBody['details'];
    /** Quote it when you ask for help. */
    readonly requestId: string | undefined;
    readonly retryAfterMs: number | undefined;
    constructor(fault: ApiFault);
}
export declare class BadRequestError extends ApiError {
    readonly name = "BadRequestError";
}
export declare class UnauthorizedError extends ApiError {
    readonly name = "UnauthorizedError";
}
export declare class PaymentRequiredError extends ApiError {
    readonly name = "PaymentRequiredError";
    get requiredCredits(): number | undefined;
    get balanceCredits(): number | undefined;
}
export declare class DownloadUrlInvalidError extends ApiError {
    readonly name = "DownloadUrlInvalidError";
}
export declare class DownloadUrlExpiredError extends ApiError {
    readonly name = "DownloadUrlExpiredError";
}
export declare class ReaderLinkInvalidError extends ApiError {
    readonly name = "ReaderLinkInvalidError";
}
export declare class ReaderLinkExpiredError extends ApiError {
    readonly name = "ReaderLinkExpiredError";
}
export declare class AccountSuspendedError extends ApiError {
    readonly name = "AccountSuspendedError";
}
export declare class NotFoundError extends ApiError {
    readonly name = "NotFoundError";
}
export declare class MethodNotAllowedError extends ApiError {
    readonly name = "MethodNotAllowedError";
}
export declare class IdempotencyConflictError extends ApiError {
    readonly name = "IdempotencyConflictError";
}
export declare class RequestInProgressError extends ApiError {
    readonly name = "RequestInProgressError";
}
export declare class TaskNotReadyError extends ApiError {
    readonly name = "TaskNotReadyError";
}
export declare class TaskNotDownloadableError extends ApiError {
    readonly name = "TaskNotDownloadableError";
}
export declare class ChangedMeanwhileError extends ApiError {
    readonly name = "ChangedMeanwhileError";
}
export declare class TaskNotCancellableError extends ApiError {
    readonly name = "TaskNotCancellableError";
}
export declare class OutputExpiredError extends ApiError {
    readonly name = "OutputExpiredError";
}
export declare class SourceExpiredError extends ApiError {
    readonly name = "SourceExpiredError";
}
export declare class PayloadTooLargeError extends ApiError {
    readonly name = "PayloadTooLargeError";
}
export declare class StorageQuotaError extends ApiError {
    readonly name = "StorageQuotaError";
}
export declare class UnsupportedMediaTypeError extends ApiError {
    readonly name = "UnsupportedMediaTypeError";
}
export declare class RangeNotSatisfiableError extends ApiError {
    readonly name = "RangeNotSatisfiableError";
}
export declare class RateLimitedError extends ApiError {
    readonly name = "RateLimitedError";
}
export declare class InternalError extends ApiError {
    readonly name = "InternalError";
}
export declare class UnavailableError extends ApiError {
    readonly name = "UnavailableError";
}
/** The compiler checks that this table is complete: `ErrorCode` is generated from the OpenAPI document. */
export declare const errorClasses: Record<ErrorCode, new (fault: ApiFault) => ApiError>;
export declare function apiError(fault: ApiFault): ApiError;
/** No answer: refused, reset, cut or not resolved. `cause` is what `fetch` threw. */
export declare class ConnectionError extends ToledoError {
    readonly name: string;
    constructor(message: string, options?: {
        cause?: unknown;
    }, code?: string);
}
/** No answer, or no further byte, within the time allowed for one attempt. */
export declare class TimeoutError extends ConnectionError {
    readonly name = "TimeoutError";
    constructor(message: string);
}
/** An answer that is not from the service: a proxy's page, or a wrong base URL. */
export declare class UnexpectedAnswerError extends ToledoError {
    readonly name = "UnexpectedAnswerError";
    readonly status: number;
    constructor(status: number, message: string);
}
/** The received bytes do not match the announced size or checksum. */
export declare class DownloadCorruptedError extends ToledoError {
    readonly name = "DownloadCorruptedError";
    constructor(message: string);
}
/** The path exists already; nothing was overwritten. */
export declare class FileExistsError extends ToledoError {
    readonly name = "FileExistsError";
    readonly path: string;
    constructor(path: string);
}
/** The task ended as failed. Nothing was charged; `task.error` says why. */
export declare class TaskFailedError extends ToledoError {
    readonly name = "TaskFailedError";
    readonly task: Task;
    readonly taskId: string;
    /** Whether the same request may succeed later. */
    readonly retryable: boolean;
    constructor(task: Task);
}
/** The task was cancelled; `task.credits_charged` covers what was finished by then. */
export declare class TaskCancelledError extends ToledoError {
    readonly name = "TaskCancelledError";
    readonly task: Task;
    readonly taskId: string;
    constructor(task: Task);
}
/** Waiting or downloading ended early; the task itself continues. Resume with `finishTask(taskId)`. */
export declare class TaskInterruptedError extends ToledoError {
    readonly name = "TaskInterruptedError";
    readonly taskId: string;
    constructor(taskId: string, cause: unknown);
}
