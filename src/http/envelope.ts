/** The shape of every answer: `{success, data}` and, for errors, `{success, data: {}, error}`. */
import { type AppError, errorTable } from '../errors.ts';

export interface SuccessEnvelope<T> {
  success: true;
  data: T;
}

export interface ErrorEnvelope {
  success: false;
  data: Record<string, never>;
  error: { code: string; message: string; details?: Record<string, unknown>; request_id: string };
}

export function success<T>(data: T): SuccessEnvelope<T> {
  return { success: true, data };
}

export function failure(error: AppError, requestId: string): ErrorEnvelope {
  const { code, message, details } = error;
  return {
    success: false,
    data: {},
    error: { code, message, ...(details && Object.keys(details).length > 0 ? { details } : {}), request_id: requestId },
  };
}

export function statusOf(error: AppError): number {
  return errorTable[error.code].status;
}

/** Headers of every answer. */
export const standardHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** A complete answer for errors that occur before there is a request object: requests that Node's parser refuses. */
export function rawFailure(error: AppError, requestId: string): string {
  const body = JSON.stringify(failure(error, requestId));
  const status = statusOf(error);
  const headers = [
    `HTTP/1.1 ${status} ${status === 405 ? 'Method Not Allowed' : 'Bad Request'}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...Object.entries(standardHeaders).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  return `${headers.join('\r\n')}\r\n\r\n${body}`;
}
