/** When to try again, and how long to wait before. */
import { ApiError, ConnectionError, UnexpectedAnswerError } from './errors.ts';

/** For a longer wait, the caller decides; a library should not wait silently. */
export const maxRetryAfterMs = 120_000;
const baseMs = 500;
const capMs = 30_000;

/**
 * Transport errors, 429 and 5xx. Of the 409s only REQUEST_IN_PROGRESS: our own first attempt is still running. Retrying any
 * other 4xx does not help.
 */
export function isRetryable(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof UnexpectedAnswerError) return error.status >= 500;
  if (!(error instanceof ApiError)) return false;
  if ((error.retryAfterMs ?? 0) > maxRetryAfterMs) return false;
  return error.status === 429 || error.status >= 500 || error.code === 'REQUEST_IN_PROGRESS';
}

/**
 * What the service asked for, plus a random part of an exponentially growing span ("full jitter"): many clients that
 * were refused together must not retry together.
 * @param attempt 0 before the first retry
 */
export function retryDelayMs(error: unknown, attempt: number, random: () => number = Math.random): number {
  const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
  return Math.round(asked + random() * Math.min(capMs, baseMs * 2 ** attempt));
}

/** Seconds or an HTTP date, as RFC 9110 allows; undefined for anything else. */
export function retryAfterMs(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
