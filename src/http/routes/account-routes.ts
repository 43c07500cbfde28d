import { listKeys } from '../../accounts/account-store.ts';
import type { KeyMode } from '../../accounts/api-key.ts';
import { totalsByDay } from '../../credits/day-totals-store.ts';
import { pageOfLedger } from '../../credits/ledger-lines.ts';
import { readUsage } from '../../credits/ledger-store.ts';
import { isRightToLeft, languageName, scriptOf, supportedLanguages } from '../../language/languages.ts';
import type { Limits } from '../../limits.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServedPairs } from '../../tasks/served-pairs.ts';
import { wireFields } from '../../wire-fields.ts';
import { success } from '../envelope.ts';
import { admissionOf, callingOwner } from '../guard.ts';
import {
  answers,
  KeyList,
  LanguageList,
  operation,
  PublishedLimits,
  pageQuery,
  UsageDays,
  UsageRecord,
} from '../schemas.ts';
import type { Server } from '../server.ts';
import { exact, optionalInteger } from '../shapes.ts';
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
