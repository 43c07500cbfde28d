import type { Static } from 'typebox';
import Type from 'typebox';
import { listKeys } from '../../accounts/account-store.ts';
import type { KeyMode } from '../../accounts/api-key.ts';
import { totalsByDay } from '../../credits/day-totals-store.ts';
import { pageOfLedger } from '../../credits/ledger-lines.ts';
import { readUsage } from '../../credits/ledger-store.ts';
import { isRightToLeft, languageName, scriptOf, supportedLanguages } from '../../language/languages.ts';
import type { Limits } from '../../limits.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServedPairs } from '../../tasks/served-pairs.ts';
import { success } from '../envelope.ts';
import { admissionOf, callingOwner } from '../guard.ts';
import { answers, KeyList, LanguageList, PublishedLimits, pageQuery, UsageDays, UsageRecord } from '../schemas.ts';
import type { Server } from '../server.ts';
import { LedgerPage } from '../task-schemas.ts';

/** What a partner can ask about its account and about the service. */
export function registerAccountRoutes(
  server: Server,
  db: Db,
  limits: Limits,
  pairsFor: (mode: KeyMode) => ServedPairs[],
): void {
  server.get(
    '/usage',
    {
      schema: {
        operationId: 'getUsage',
        tags: ['Account'],
        summary: 'Verify the key, read the balance and the rate limit',
        response: answers(UsageRecord, 'The usage record of the calling key.'),
      },
    },
    async (request) => {
      const { caller } = admissionOf(request);
      const usage = await readUsage(db, caller.accountId);
      return success({
        api_key_prefix: caller.keyPrefix,
        balance_credits: usage.balanceCredits,
        reserved_credits: usage.reservedCredits,
        period_used_credits: usage.periodUsedCredits,
        period_start: usage.periodStart.toISOString(),
        period_end: usage.periodEnd?.toISOString() ?? null,
        rate_limit_per_minute: caller.rateLimitPerMinute,
      });
    },
  );

  server.get(
    '/usage/ledger',
    {
      schema: {
        operationId: 'listLedger',
        tags: ['Account'],
        summary: 'Movements of credits, newest first',
        querystring: Type.Object(pageQuery, { additionalProperties: false }),
        response: answers(LedgerPage, 'A page of the ledger.'),
      },
    },
    async (request) => {
      const { limit = 20, cursor } = request.query;
      const { lines, nextCursor } = await pageOfLedger(db, callingOwner(request), limit, cursor);
      return success({
        lines: lines.map((line) => ({
          entry_id: line.entryId,
          kind: line.kind,
          credits: line.credits,
          task_id: line.taskId ?? null,
          external_id: line.externalId ?? null,
          reference: line.reference ?? null,
          created_at: line.createdAt.toISOString(),
        })),
        next_cursor: nextCursor,
      });
    },
  );

  server.get(
    '/usage/days',
    {
      schema: {
        operationId: 'listUsageDays',
        tags: ['Account'],
        summary: 'Tasks, characters and credits of each of the last days',
        description: 'Of the tasks of your kind of key: a test key sees the days of test tasks, which charge nothing.',
        querystring: Type.Object(
          { days: Type.Optional(Type.Integer({ minimum: 1, maximum: 92, default: 30 })) },
          { additionalProperties: false },
        ),
        response: answers(UsageDays, 'The days up to today.'),
      },
    },
    async (request) => {
      const { days = 30 } = request.query;
      return success({ days: await totalsByDay(db, { days, ...callingOwner(request) }) });
    },
  );

  server.get(
    '/keys',
    {
      schema: {
        operationId: 'listKeys',
        tags: ['Account'],
        summary: 'List the keys of your account',
        description: 'Those of the kind of the calling key, live or test. The operator makes and revokes keys.',
        response: answers(KeyList, 'The keys by their prefixes; never a key itself.'),
      },
    },
    async (request) => {
      const { caller } = admissionOf(request);
      const keys = (await listKeys(db, caller.accountId)).filter(({ mode }) => mode === caller.mode);
      return success({
        keys: keys.map((key) => ({
          prefix: key.prefix,
          mode: key.mode,
          current: key.id === caller.keyId,
          created_at: key.createdAt.toISOString(),
          last_used_at: key.lastUsedAt?.toISOString() ?? null,
          revoked_at: key.revokedAt?.toISOString() ?? null,
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
    {
      schema: {
        operationId: 'listLanguages',
        tags: ['Service'],
        summary: 'Languages that can be asked for, and the pairs that are translated',
        description:
          'Any region of a listed language is accepted too (`pt-BR`, `en-GB`); `zh` means `zh-Hans` and `zh-TW` means `zh-Hant`.',
        response: answers(LanguageList, 'The languages.'),
      },
    },
    async (request) => success({ languages, pairs: pairsFor(admissionOf(request).caller.mode) }),
  );

  server.get(
    '/limits',
    {
      schema: {
        operationId: 'getLimits',
        tags: ['Service'],
        summary: 'Published limits',
        response: answers(PublishedLimits, 'The limits in force.'),
      },
    },
    async (request) => success(limitsView(limits, admissionOf(request).caller.rateLimitPerMinute)),
  );
}

/** The limits as partners see them. */
function limitsView(limits: Limits, rateLimitPerMinute: number): Static<typeof PublishedLimits> {
  return {
    max_file_bytes: limits.maxFileBytes,
    max_request_bytes: limits.maxRequestBytes,
    max_json_request_bytes: limits.maxJsonRequestBytes,
    max_parts: limits.maxParts,
    max_field_bytes: limits.maxFieldBytes,
    max_text_characters: limits.maxTextCharacters,
    max_glossary_bytes: limits.maxGlossaryBytes,
    max_glossary_terms: limits.maxGlossaryTerms,
    max_term_bytes: limits.maxTermBytes,
    max_archive_bytes: limits.maxArchiveBytes,
    max_archive_entries: limits.maxArchiveEntries,
    max_archive_ratio: limits.maxArchiveRatio,
    max_xml_depth: limits.maxXmlDepth,
    rate_limit_per_minute: rateLimitPerMinute,
  };
}
