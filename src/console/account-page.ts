import type { FastifyRequest } from 'fastify';
import type { Account } from '../accounts/account.ts';
import { findAccount, listKeys } from '../accounts/account-store.ts';
import { totalsByDay } from '../credits/day-totals-store.ts';
import { pageOfLedger, readBalance } from '../credits/ledger-store.ts';
import { AppError } from '../errors.ts';
import { fieldsOf, oneOf, queryText, requiredText, text, wholeNumber } from '../http/page-form.ts';
import {
  changeAccount,
  createKey,
  refundAccount,
  resumeAccount,
  revokeKey,
  suspendAccount,
  topUpAccount,
} from '../operators/account-changes.ts';
import { engineUsageOfDays } from '../operators/engine-usage-store.ts';
import { searchTasks } from '../operators/task-search-store.ts';
import { dayChart } from '../pages/charts.ts';
import { type Html, html } from '../pages/html.ts';
import { inPlainWords } from '../pages/names.ts';
import {
  addressOf,
  choice,
  costInWords,
  facts,
  field,
  moment,
  number,
  olderLink,
  pageHead,
  table,
  tag,
} from '../pages/parts.ts';
import { changeForm, disclosedForm, type WorkFrame } from '../pages/work-page.ts';
import { type ConsoleRoutes, type ConsoleServices, param, type Show } from './console-routes.ts';
import { taskTable } from './tasks-page.ts';

const shownDays = 30;

export function registerAccountPage({ page, change }: ConsoleRoutes, { db, keyPepper }: ConsoleServices): void {
  const show: Show = async (request, frame) => {
    const account = await findAccount(db, accountIdOf(request));
    const { id: accountId } = account;
    const to = new Date();
    const from = new Date(to.getTime() - (shownDays - 1) * 86_400_000);
    const day = (at: Date) => at.toISOString().slice(0, 10);
    const before = queryText(request, 'before') || undefined;
    const { lines, nextCursor } = await pageOfLedger(db, { accountId, sandbox: false }, 20, before);
    const balance = await readBalance(db, accountId);
    const keys = await listKeys(db, accountId);
    const days = await totalsByDay(db, { days: shownDays, accountId });
    const engines = await engineUsageOfDays(db, { from: day(from), to: day(to), accountId, limit: 100 });
    const tasks = await searchTasks(db, { accountId, limit: 10 });
    const body = html`${pageHead(account.name, { href: '/console/accounts', text: 'Accounts' }, account.id)}
${account.suspendedAt && html`<div class="notice warn"><p>Suspended since ${moment(account.suspendedAt)}: ${account.suspendedReason}</p></div>`}
${accountActions(frame, account)}
<div class="halves"><section class="card"><h2>Account</h2>${facts([
      ['Available', html`${number(balance.availableCredits)} credits`],
      ['Held', html`${number(balance.reservedCredits)} credits`],
      ['Spent', html`${number(balance.spentCredits)} credits`],
      ['Requests a minute', number(account.rateLimitPerMinute)],
      [
        'Told below',
        account.lowBalanceCredits === undefined ? 'never' : html`${number(account.lowBalanceCredits)} credits`,
      ],
      ['Previews', account.creditPreviews ? 'credited to the full run' : 'not credited'],
      ['Billing period', account.billingPeriod],
      ['Created', moment(account.createdAt)],
    ])}</section>
<section class="card"><h2>Last 30 days</h2>${dayChart('Credits charged on each day (UTC)', days)}<p class="small"><a href="${addressOf('/console/usage', { account: account.id, by: 'day,action,pair' })}">All usage</a></p>
${table(
  ['Engine', 'Calls', 'Tokens in', 'Tokens out', 'Cost'],
  engines.map((each) => [
    each.engine,
    number(each.calls),
    number(each.inputTokens + each.cachedInputTokens),
    number(each.outputTokens),
    costInWords(each),
  ]),
  'No engine was asked.',
)}</section></div>
<section class="card"><h2>Keys</h2>
<div class="actions">${disclosedForm(
      frame,
      'New key',
      `/console/accounts/${account.id}/keys`,
      html`${choice(
        'Kind',
        'mode',
        { live: 'live', test: 'test: moves no credits' },
        'live',
      )}<button class="primary">Create key</button>`,
    )}</div>
${table(
  ['Prefix', 'Kind', 'State', 'Last used', 'Created', ''],
  keys.map((key) => [
    html`<code>${key.prefix}</code>`,
    key.mode,
    key.revokedAt ? html`${tag('revoked')} <span class="small">${moment(key.revokedAt)}</span>` : tag('active'),
    key.lastUsedAt ? moment(key.lastUsedAt) : html`<span class="muted">never</span>`,
    moment(key.createdAt),
    key.revokedAt === undefined &&
      disclosedForm(
        frame,
        'Revoke',
        `/console/accounts/${account.id}/keys/${key.id}/revoke`,
        html`<p>The next request with it is refused.</p><button class="danger">Revoke ${key.prefix}</button>`,
      ),
  ]),
  'It has no key.',
)}</section>
<section class="card"><h2>Ledger</h2>${table(
      ['When', 'What', 'Credits', 'Task or reference', 'Reason'],
      lines.map((line) => [
        moment(line.createdAt),
        inPlainWords(line.kind),
        number(line.credits),
        line.taskId !== undefined
          ? html`<a href="/console/tasks/${line.taskId}"><code>${line.taskId}</code></a>`
          : html`<span class="breakable">${line.reference}</span>`,
        html`<span class="breakable">${line.reason}</span>`,
      ]),
      'Nothing was booked yet.',
    )}${olderLink(`/console/accounts/${account.id}`, {}, nextCursor ?? undefined)}</section>
<section class="card"><h2>Newest tasks</h2>${taskTable(tasks, 'It has no task yet.')}<p><a href="${addressOf('/console/tasks', { account: account.id })}">All its tasks</a></p></section>`;
    return { title: account.name, section: 'accounts', body };
  };
  page('/accounts/:id', show);

  /** Changes of one account go back to its page. @param apply returns the word for what it came to */
  const changeOf = (
    path: string,
    apply: (request: FastifyRequest, actor: string, accountId: string) => Promise<string>,
  ) =>
    change(`/accounts/:id/${path}`, show, async (request, actor) => {
      // An account that does not exist is found out before anything is tried.
      const { id } = await findAccount(db, accountIdOf(request));
      return { goTo: `/console/accounts/${id}?done=${await apply(request, actor, id)}` };
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
  change('/accounts/:id/keys', show, async (request, actor) => {
    const { id } = await findAccount(db, accountIdOf(request));
    const mode = oneOf(fieldsOf(request), 'mode', ['live', 'test']);
    const { key } = await createKey(db, actor, id, mode, keyPepper);
    const told = 'The new key. It is shown until you dismiss it, and never again:';
    return { goTo: `/console/accounts/${id}`, keep: { tone: 'good', text: told, secret: key } };
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

function accountActions(frame: WorkFrame, account: Account): Html {
  const at = `/console/accounts/${account.id}`;
  return html`<div class="actions">${disclosedForm(
    frame,
    'Top up',
    `${at}/top-up`,
    html`${field('Credits', 'credits', { type: 'number', required: true })}${field('Reference', 'reference', { hint: 'invoice number' })}<p class="muted small">The same reference never counts twice.</p><button class="primary">Add credits</button>`,
  )}${disclosedForm(
    frame,
    'Refund',
    `${at}/refund`,
    html`${field('Credits', 'credits', { type: 'number', required: true })}${field('Reference', 'reference', { required: true })}${field('Reason', 'reason', { required: true })}${field('Task', 'task', { hint: 'optional task id' })}<button class="primary">Refund credits</button>`,
  )}${disclosedForm(
    frame,
    'Limits',
    `${at}/update`,
    html`${field('Requests a minute', 'rate_limit', { type: 'number', value: account.rateLimitPerMinute, required: true })}${field('Tell below this many credits (0 = never)', 'low_balance', { type: 'number', value: account.lowBalanceCredits ?? 0, required: true })}${choice(
      'Previews',
      'credit_previews',
      { off: 'not credited', on: 'credited to the full run' },
      account.creditPreviews ? 'on' : 'off',
    )}<button class="primary">Save limits</button>`,
  )}${
    account.suspendedAt
      ? changeForm(frame, `${at}/resume`, html`<button>Resume</button>`)
      : disclosedForm(
          frame,
          'Suspend',
          `${at}/suspend`,
          html`${field('Reason', 'reason', { required: true })}<p class="muted small">Its keys are refused from the next request on; running tasks finish.</p><button class="danger">Suspend account</button>`,
        )
  }</div>`;
}
