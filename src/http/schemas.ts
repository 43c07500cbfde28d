/** The wire shapes, defined once: they validate requests, type handlers and become the OpenAPI document. */

import Type, { type TObject, type TSchema } from 'typebox';
import { type ErrorCode, errorTable, reasonTable } from '../errors.ts';
import { exact, namedExact, optionalInteger, optionalText, text } from './shapes.ts';

const ErrorResponse = namedExact(
  'ErrorResponse',
  {
    success: Type.Literal(false),
    data: exact({}),
    error: exact({
      code: Type.String({ enum: Object.keys(errorTable) }),
      message: text('One sentence for people. Match on `code`, never on this.'),
      details: Type.Optional(
        Type.Object(
          {
            field: optionalText('The parameter at fault.'),
            reason: optionalText({
              description: 'A stable word that narrows the code; new ones may come.',
              examples: Object.keys(reasonTable).toSorted(),
            }),
            allowed: Type.Optional(
              Type.Array(Type.String(), { description: 'The accepted values, where the set is closed.' }),
            ),
          },
          { additionalProperties: true },
        ),
      ),
      request_id: text('Also in the X-Request-Id header; quote it when you ask for help.'),
    }),
  },
  { description: 'Every answer that is not a success.' },
);

export function envelope<T extends TSchema>(data: T) {
  return exact({ success: Type.Literal(true), data });
}

/** What a partner's call answers: its data, or one of these errors besides those of the guard. */
export function answers<T extends TSchema>(data: T, description: string, ...errors: ErrorCode[]) {
  return { 200: { ...envelope(data), description }, ...errorResponses(...guardErrors, ...errors) };
}

/** The same for a call that makes something. */
export function created<T extends TSchema>(data: T, description: string, ...errors: ErrorCode[]) {
  return { 201: { ...envelope(data), description }, ...errorResponses(...guardErrors, ...errors) };
}

const retryAfter = {
  'Retry-After': { type: 'integer', minimum: 1, description: 'Seconds to wait before the next request.' },
};

/** The error responses of a route, by status, for its schema. */
export function errorResponses(...codes: ErrorCode[]): Record<number, TObject> {
  const always: ErrorCode[] = ['INTERNAL', 'UNAVAILABLE'];
  const byStatus = new Map<number, string[]>();
  for (const code of [...codes, ...always]) {
    const { status, when } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${when}`]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, lines]) => [
      status,
      {
        description: lines.join(' '),
        ...(status === 429 || status === 503 ? { headers: retryAfter } : {}),
        content: { 'application/json': { schema: ErrorResponse } },
      } as unknown as TObject,
    ]),
  );
}

/** Errors that every route behind the guard can return besides its own. */
export const guardErrors: ErrorCode[] = ['BAD_REQUEST', 'UNAUTHORIZED', 'ACCOUNT_SUSPENDED', 'RATE_LIMITED'];

/** Of a call with a body. */
export const bodyErrors = ['UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE'] as const;

export type Tag = 'Tasks' | 'Series' | 'Events' | 'Webhooks' | 'Account' | 'Service' | 'Operations';

/** What the document says of a call. */
export function operation<T extends object>(tag: Tag, operationId: string, summary: string, schema: T) {
  return { schema: { operationId, tags: [tag], summary, ...schema } };
}

/** A call that the document does not tell of. */
export function unlisted<T extends object>(schema: T) {
  return { schema: { hide: true, ...schema } };
}

export const TaskId = Type.Object({ task_id: Type.String() });
export const SeriesId = Type.Object({ series_id: Type.String() });

/** What a list is asked for by. */
export const pageQuery = {
  limit: optionalInteger({ minimum: 1, maximum: 100, default: 20 }),
  cursor: optionalText('From `next_cursor` of the page before.'),
};
