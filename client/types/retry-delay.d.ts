/** For a longer wait, the caller decides; a library should not wait silently. */
export declare const maxRetryAfterMs = 120000;
/**
 * Transport errors, 429 and 5xx. Of the 409s only REQUEST_IN_PROGRESS: our own first attempt is still running. Retrying any
 * other 4xx does not help.
 */
export declare function isRetryable(error: unknown): boolean;
/**
 * What the service asked for, plus a random part of an exponentially growing span ("full jitter"): many clients that
 * were refused together must not retry together.
 * @param attempt 0 before the first retry
 */
export declare function retryDelayMs(error: unknown, attempt: number, random?: () => number): number;
/** Seconds or an HTTP date, as RFC 9110 allows; undefined for anything else. */
export declare function retryAfterMs(headers: Headers, now?: number): number | undefined;
