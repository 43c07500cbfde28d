import Type from 'typebox';
import { listKeys } from '../../accounts/account-store.ts';
import type { KeyMode } from '../../accounts/api-key.ts';
import { totalsByDay } from '../../credits/day-totals-store.ts';
import { pageOfLedger, readUsage } from '../../credits/ledger-store.ts';
import { isRightToLeft, languageName, scriptOf, supportedLanguages } from '../../language/languages.ts';
import type { Limits } from '../../limits.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServedPairs } from '../../tasks/served-pairs.ts';
import { wireFields } from '../../wire-fields.ts';
import { success } from '../envelope.ts';
import { admissionOf, callingOwner } from '../guard.ts';
import { answers, operation, pageQuery } from '../schemas.ts';
import type { Server } from '../server.ts';
import { exact, integer, named, optionalInteger, orNull, Timestamp, text } from '../shapes.ts';

/** What a partner can ask about its account and about the service. */
export function registerAccountRoutes(
  server: Server,
  db: Db,
  limits: Limits,
  pairsFor: (mode: KeyMode) => ServedPairs[],
): void {
  server.get(
    '/usage',
    operation('Account', 'getUsage', 'Verify the key, read the balance and the rate limit', {
      response: answers(UsageRecord, 'The usage record of the calling key.'),
    }),
    async (request) => {
      const { caller } = admissionOf(request);
      const usage = await readUsage(db, caller.accountId);
      return success({
        api_key_prefix: caller.keyPrefix,
        ...wireFields(usage, 'balanceCredits', 'reservedCredits', 'periodUsedCredits', 'periodStart', 'periodEnd'),
        rate_limit_per_minute: caller.rateLimitPerMinute,
      });
    },
  );

  server.get(
    '/usage/ledger',
    operation('Account', 'listLedger', 'Movements of credits, newest first', {
      querystring: exact(pageQuery),
      response: answers(LedgerPage, 'A page of the ledger.'),
    }),
    async (request) => {
      const { limit = 20, cursor } = request.query;
      const { lines, nextCursor } = await pageOfLedger(db, callingOwner(request), limit, cursor);
      return success({
        lines: lines.map((line) =>
          wireFields(line, 'entryId', 'kind', 'credits', 'taskId', 'externalId', 'reference', 'createdAt'),
        ),
        next_cursor: nextCursor,
      });
    },
  );

  server.get(
    '/usage/days',
    operation('Account', 'listUsageDays', 'Tasks, characters and credits of each of the last days', {
      description: 'Of the tasks of your kind of key: a test key sees the days of test tasks, which charge nothing.',
      querystring: exact({ days: optionalInteger({ minimum: 1, maximum: 92, default: 30 }) }),
      response: answers(UsageDays, 'The days up to today.'),
    }),
    async (request) => {
      const { days = 30 } = request.query;
      return success({ days: await totalsByDay(db, { days, ...callingOwner(request) }) });
    },
  );

  server.get(
    '/keys',
    operation('Account', 'listKeys', 'List the keys of your account', {
      description: 'Those of the kind of the calling key, live or test. The operator makes and revokes keys.',
      response: answers(KeyList, 'The keys by their prefixes; never a key itself.'),
    }),
    async (request) => {
      const { caller } = admissionOf(request);
      const keys = (await listKeys(db, caller.accountId)).filter(({ mode }) => mode === caller.mode);
      return success({
        keys: keys.map((key) => ({
          ...wireFields(key, 'prefix', 'mode', 'createdAt', 'lastUsedAt', 'revokedAt'),
          current: key.id === caller.keyId,
        })),
      });
    },
  );

  const languages = supportedLanguages.map((code) => ({
    code,
    name: languageName(code),
    native_name: languageName(code, code),
    script: scriptOf(code),
    direction: isRightToLeft(code) ? ('rtl' as const) : ('ltr' as const),
  }));
  server.get(
    '/languages',
    operation('Service', 'listLanguages', 'Languages that can be asked for, and the pairs that are translated', {
      description:
        'Any region of a listed language is accepted too (`pt-BR`, `en-GB`); `zh` means `zh-Hans` and `zh-TW` means `zh-Hant`.',
      response: answers(LanguageList, 'The languages.'),
    }),
    async (request) => success({ languages, pairs: pairsFor(admissionOf(request).caller.mode) }),
  );

  const published = wireFields(limits, ...(Object.keys(limits) as (keyof Limits)[]));
  server.get(
    '/limits',
    operation('Service', 'getLimits', 'Published limits', {
      response: answers(PublishedLimits, 'The limits in force.'),
    }),
    async (request) => success({ ...published, ...wireFields(admissionOf(request).caller, 'rateLimitPerMinute') }),
  );
}

/** The wire shapes of accounts and of the service. */

const UsageRecord = named('UsageRecord', {
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

const UsageDays = Type.Object({
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

const KeyList = Type.Object({
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

const LanguageList = Type.Object({
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

const PublishedLimits = named('PublishedLimits', {
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

const LedgerPage = Type.Object({
  lines: Type.Array(
    named('LedgerLine', {
      entry_id: Type.Integer(),
      kind: Type.String({ enum: ['top_up', 'hold', 'charge', 'release', 'refund'] }),
      credits: Type.Integer({ minimum: 1 }),
      task_id: orNull(Type.String()),
      external_id: orNull(Type.String()),
      reference: orNull(Type.String()),
      created_at: Timestamp,
    }),
  ),
  next_cursor: orNull(Type.String()),
});
