import type { FastifyRequest } from 'fastify';
import { findAccount, listKeys } from '../../accounts/account-store.ts';
import { pageOfLedger } from '../../credits/ledger-lines.ts';
import { readBalance } from '../../credits/ledger-store.ts';
import { AppError } from '../../errors.ts';
import {
  changeAccount,
  createAccount,
  createKey,
  refundAccount,
  resumeAccount,
  revokeKey,
  suspendAccount,
  topUpAccount,
} from '../../operators/account-changes.ts';
import { searchAccounts } from '../../operators/account-list-store.ts';
import { engineUsageOfDays } from '../../operators/engine-usage-store.ts';
import { searchTasks } from '../../operators/task-search-store.ts';
import { totalsByDay } from '../../operators/usage-store.ts';
import { accountListPage, accountPage } from '../../pages/console/account-pages.ts';
import type { ConsoleFrame } from '../../pages/console/console-shell.ts';
import { type ConsoleDependencies, type ConsoleRoutes, param } from './console-dependencies.ts';
import { fieldsOf, oneOf, queryText, requiredText, text, wholeNumber } from './console-form.ts';

const pageSize = 50;
const shownDays = 30;

export function registerConsoleAccounts({ page, change }: ConsoleRoutes, deps: ConsoleDependencies): void {
  const { db, keyPepper } = deps;

  const showList = async (request: FastifyRequest, frame: ConsoleFrame) => {
    const q = queryText(request, 'q');
    const before = queryText(request, 'before') || undefined;
    const found = await searchAccounts(db, { text: q, before, limit: pageSize + 1 });
    const shown = found.slice(0, pageSize);
    return accountListPage(frame, q, shown, found.length > pageSize ? shown.at(-1)?.id : undefined);
  };

  const show = async (request: FastifyRequest, frame: ConsoleFrame) => {
    const account = await findAccount(db, accountIdOf(request));
    const to = new Date();
    const from = new Date(to.getTime() - (shownDays - 1) * 86_400_000);
    const day = (at: Date) => at.toISOString().slice(0, 10);
    const { lines, nextCursor } = await pageOfLedger(db, account.id, 20, queryText(request, 'before') || undefined);
    return accountPage(frame, {
      account,
      balance: await readBalance(db, account.id),
      keys: await listKeys(db, account.id),
      ledger: lines,
      olderLedger: nextCursor ?? undefined,
      days: await totalsByDay(db, { days: shownDays, accountId: account.id }),
      engines: await engineUsageOfDays(db, { from: day(from), to: day(to), accountId: account.id, limit: 100 }),
      tasks: await searchTasks(db, { accountId: account.id, limit: 10 }),
    });
  };

  page('/accounts', showList);
  page('/accounts/:id', show);
  change('/accounts', {
    async apply(request, actor) {
      const fields = fieldsOf(request);
      const order = {
        name: requiredText(fields, 'name'),
        rateLimitPerMinute: wholeNumber(fields, 'rate_limit'),
        billingPeriod: oneOf(fields, 'period', ['monthly', 'open']),
        credits: wholeNumber(fields, 'credits'),
      };
      const { account, key } = await createAccount(db, actor, order, keyPepper);
      return { tone: 'good', text: `The account "${account.name}" has this key. It is shown only now:`, secret: key };
    },
    back: () => '/console/accounts',
    show: showList,
  });

  /** Changes of one account go back to its page. */
  const changeOf = (path: string, apply: (request: FastifyRequest, actor: string, id: string) => Promise<string>) =>
    change(`/accounts/:id/${path}`, {
      // An account that does not exist is found out before anything is tried.
      apply: async (request, actor) => apply(request, actor, (await findAccount(db, accountIdOf(request))).id),
      back: (request) => `/console/accounts/${accountIdOf(request)}`,
      show,
    });

  changeOf('top-up', async (request, actor, id) => {
    const fields = fieldsOf(request);
    const credits = wholeNumber(fields, 'credits');
    const { applied } = await topUpAccount(db, actor, id, credits, text(fields, 'reference') || undefined);
    return applied ? 'topped-up' : 'booked-before';
  });
  changeOf('refund', async (request, actor, accountId) => {
    const fields = fieldsOf(request);
    const { applied } = await refundAccount(db, actor, {
      accountId,
      credits: wholeNumber(fields, 'credits'),
      reference: requiredText(fields, 'reference'),
      reason: requiredText(fields, 'reason'),
      taskId: text(fields, 'task') || undefined,
    });
    return applied ? 'refunded' : 'booked-before';
  });
  changeOf('update', async (request, actor, id) => {
    const fields = fieldsOf(request);
    await changeAccount(db, actor, id, {
      rateLimitPerMinute: wholeNumber(fields, 'rate_limit'),
      lowBalanceCredits: wholeNumber(fields, 'low_balance'),
      creditPreviews: oneOf(fields, 'credit_previews', ['on', 'off']) === 'on',
    });
    return 'updated';
  });
  changeOf('suspend', async (request, actor, id) => {
    await suspendAccount(db, actor, id, requiredText(fieldsOf(request), 'reason'));
    return 'suspended';
  });
  changeOf('resume', async (_request, actor, id) => {
    await resumeAccount(db, actor, id);
    return 'resumed';
  });
  change('/accounts/:id/keys', {
    async apply(request, actor) {
      const { id } = await findAccount(db, accountIdOf(request));
      const mode = oneOf(fieldsOf(request), 'mode', ['live', 'test']);
      const { key } = await createKey(db, actor, id, mode, keyPepper);
      return { tone: 'good', text: 'The new key. It is shown only now:', secret: key };
    },
    back: (request) => `/console/accounts/${accountIdOf(request)}`,
    show,
  });
  changeOf('keys/:key/revoke', async (request, actor, id) => {
    const key = (await listKeys(db, id)).find((each) => each.id === param(request, 'key'));
    if (!key) throw new AppError('NOT_FOUND', 'This account has no such key.');
    await revokeKey(db, actor, key.id);
    return 'revoked';
  });
}

/** Only ids: a name in an address could be anything. */
function accountIdOf(request: FastifyRequest): string {
  const id = param(request, 'id');
  if (!/^acc_[0-9a-z]{26}$/.test(id)) throw new AppError('NOT_FOUND', 'There is no such account.');
  return id;
}
