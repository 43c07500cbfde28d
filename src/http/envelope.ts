/** The shape of every answer: `{success, data}` and, for errors, `{success, data: {}, error}`. */
import { AppError, badField, badRequest, errorTable } from '../errors.ts';
import { databaseAwayError, isDatabaseAway } from '../platform/postgres.ts';

export function success<T>(data: T) {
  return { success: true as const, data };
}

export type ErrorEnvelope = ReturnType<typeof failure>;

export function failure(error: AppError, requestId: string) {
  const { code, message, details } = error;
  const told = details && Object.keys(details).length > 0 ? { details } : {};
  return { success: false, data: {}, error: { code, message, ...told, request_id: requestId } };
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

interface FastifyLikeError extends Error {
  code?: string;
  statusCode?: number;
  validation?: { instancePath: string; message?: string; keyword: string; params: Record<string, unknown> }[];
  validationContext?: string;
}

/** Turns any error thrown while answering a request into one of our codes. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (isDatabaseAway(thrown)) return databaseAwayError(thrown);
  const error = thrown as FastifyLikeError;
  if (error?.validation) return validationError(error);
  const known = error?.code === undefined ? undefined : frameworkErrors[error.code];
  if (known) return known();
  // The framework's own 4xx errors are caused by the sender, never by us.
  const isSenders = error?.code?.startsWith('FST_') && Math.floor((error.statusCode ?? 0) / 100) === 4;
  if (isSenders) return badRequest('The request could not be understood.');
  return new AppError('INTERNAL', 'Something went wrong on our side. Quote the request id when you ask us about it.', {
    cause: thrown,
  });
}

const frameworkErrors: Record<string, () => AppError> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new AppError('UNSUPPORTED_MEDIA_TYPE', 'This content type is not accepted here.'),
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new AppError('PAYLOAD_TOO_LARGE', 'The request body is larger than allowed; see GET /limits.'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => badRequest('The request body is not valid JSON.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => badRequest('The request body is empty.'),
  FST_ERR_BAD_URL: () => badField('BAD_PATH', 'The path of the request is not valid percent-encoded UTF-8.'),
};

function validationError(error: FastifyLikeError): AppError {
  const first = error.validation?.[0];
  const unknown = first?.keyword === 'additionalProperties' ? String(first.params.additionalProperty) : undefined;
  const missing = first?.keyword === 'required' ? String(first.params.missingProperty) : undefined;
  const field =
    unknown ?? missing ?? (first?.instancePath.slice(1).replaceAll('/', '.') || error.validationContext || 'request');
  const message = unknown
    ? `There is no parameter "${field}" here.`
    : missing
      ? `The parameter "${field}" is missing.`
      : `The parameter "${field}" ${first?.message ?? 'is not valid'}.`;
  const allowed = first?.keyword === 'enum' ? { allowed: first.params.allowedValues as string[] } : {};
  return badRequest(message, { field, ...allowed });
}
