/** The wire shapes, defined once: they validate requests, type handlers and become the OpenAPI document. */

import Type, { type TObject, type TSchema } from 'typebox';
import { type ErrorCode, errorTable, reasonTable } from '../errors.ts';
import { exact, integer, named, optionalInteger, optionalText, orNull, Timestamp, text } from './shapes.ts';

export const errorCodes = Object.keys(errorTable) as ErrorCode[];

export const ErrorResponse = Type.Object(
  {
    success: Type.Literal(false),
    data: exact({}),
    error: exact({
      code: Type.String({ enum: errorCodes }),
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
  { $id: 'ErrorResponse', additionalProperties: false, description: 'Every answer that is not a success.' },
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

export const UsageRecord = named('UsageRecord', {
  api_key_prefix: text('Leading characters of the calling key.'),
  balance_credits: Type.Integer({
    minimum: 0,
    description: 'Remaining prepaid credits: granted − charged − reserved.',
  }),
  reserved_credits: Type.Integer({
    minimum: 0,
    description: 'Held for tasks that have not ended. Additive to the specification.',
  }),
  period_used_credits: Type.Integer({ minimum: 0, description: 'Credits charged in the current period.' }),
  period_start: Timestamp,
  period_end: orNull(Timestamp, 'Null when the period is open-ended.'),
  rate_limit_per_minute: Type.Integer({ minimum: 1, description: 'Configured requests per minute for the key.' }),
});

export const UsageDays = Type.Object({
  days: Type.Array(
    named('UsageDay', {
      day: Type.String({ format: 'date', description: 'In UTC.', examples: ['2026-11-18'] }),
      completed: integer('Tasks that completed on this day.'),
      failed: Type.Integer(),
      cancelled: Type.Integer(),
      characters: integer('Source characters of the completed tasks.'),
      credits: integer('Credits charged for the tasks that ended on this day.'),
    }),
    { description: 'One for each day, the oldest first; also days on which no task ended.' },
  ),
});

export const KeyList = Type.Object({
  keys: Type.Array(
    named('ApiKey', {
      prefix: Type.String({
        description: 'Leading characters, by which you recognise the key.',
        examples: ['tol_live_4fQz'],
      }),
      mode: Type.String({ enum: ['live', 'test'] }),
      current: Type.Boolean({ description: 'Whether this request was made with it.' }),
      created_at: Timestamp,
      last_used_at: orNull(Timestamp, 'Up to half a minute late. Null when it was never used.'),
      revoked_at: orNull(Timestamp),
    }),
    { description: 'The oldest first.' },
  ),
});

export const LanguageList = Type.Object({
  languages: Type.Array(
    named('Language', {
      code: text('BCP-47 code to send as source_lang or target_lang.'),
      name: text('English name.'),
      native_name: Type.String(),
      script: text('ISO 15924 code of the usual script.'),
      direction: Type.Union([Type.Literal('ltr'), Type.Literal('rtl')]),
    }),
  ),
  pairs: Type.Array(
    Type.Object({
      source: Type.Array(Type.String(), { examples: [['es']] }),
      target: Type.Array(Type.String(), { examples: [['en']] }),
      quality: Type.Union([Type.Literal('standard'), Type.Literal('draft'), Type.Literal('sandbox')]),
      experimental: Type.Optional(
        Type.Literal(true, {
          description: 'The drafts are worse than those of other pairs; the operator serves them all the same.',
        }),
      ),
    }),
    {
      description: 'What is translated with your key: every language of `source` into every other one of `target`.',
      examples: [[{ source: ['es'], target: ['en'], quality: 'standard' }]],
    },
  ),
});

export const PublishedLimits = named('PublishedLimits', {
  max_file_bytes: Type.Integer(),
  max_request_bytes: Type.Integer(),
  max_json_request_bytes: integer(
    'A request in JSON or in urlencoded form; a longer text goes into a multipart request.',
  ),
  max_parts: integer('Parts of one multipart request.'),
  max_field_bytes: integer('One form field other than text and glossary.'),
  max_text_characters: integer('Characters of one source.'),
  max_glossary_bytes: Type.Integer(),
  max_glossary_terms: Type.Integer(),
  max_term_bytes: Type.Integer(),
  max_archive_bytes: integer('EPUB, DOCX and ODT: bytes when unpacked.'),
  max_archive_entries: Type.Integer(),
  max_archive_ratio: integer('Unpacked to packed, for entries above 16 MiB.'),
  max_xml_depth: Type.Integer(),
  rate_limit_per_minute: integer('Requests per minute of the calling key.'),
});

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
        content: { 'application/json': { schema: { $ref: 'ErrorResponse#' } } },
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
