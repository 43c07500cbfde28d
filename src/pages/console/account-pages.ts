import type { Account, ApiKey } from '../../accounts/account.ts';
import type { Balance, LedgerLine } from '../../credits/credits.ts';
import type { ListedAccount } from '../../operators/account-list-store.ts';
import type { EngineDays } from '../../operators/engine-usage-store.ts';
import type { FoundTask } from '../../operators/task-search-store.ts';
import type { DayTotal } from '../../operators/usage-store.ts';
import { type Html, html } from '../html.ts';
import { barChart } from './charts.ts';
import {
  addressOf,
  type ConsoleFrame,
  changeForm,
  choice,
  consolePage,
  disclosed,
  facts,
  field,
  moment,
  number,
  olderLink,
  table,
  tag,
} from './console-shell.ts';
import { taskTable } from './task-pages.ts';

export function accountListPage(
  frame: ConsoleFrame,
  q: string,
  accounts: readonly ListedAccount[],
  older: string | undefined,
): string {
  const body = html`<h1>Accounts</h1>
<form class="search" method="get" action="/console/accounts" role="search">${field('Name begins with, or id', 'q', { value: q, type: 'search' })}<button class="primary">Search</button></form>
<div class="actions">${disclosed(
    'New account',
    changeForm(
      frame,
      '/console/accounts',
      html`${field('Name', 'name', { required: true })}${field('Credits', 'credits', { type: 'number', value: 0 })}${field('Requests a minute', 'rate_limit', { type: 'number', value: 60 })}${choice(
        'Billing period',
        'period',
        [
          ['monthly', 'monthly'],
          ['open', 'open'],
        ],
        'monthly',
      )}<button class="primary">Create account</button>`,
    ),
  )}</div>
${table(
  ['Account', 'State', 'Available', 'Held', 'Spent', 'A minute', 'Created'],
  accounts.map((account) => [
    html`<a href="/console/accounts/${account.id}">${account.name}</a><br><code class="small">${account.id}</code>`,
    tag(account.suspendedAt ? 'suspended' : 'live'),
    number(account.available),
    number(account.reserved),
    number(account.spent),
    number(account.rateLimitPerMinute),
    moment(account.createdAt),
  ]),
  q === '' ? 'There is no account yet.' : 'No account matches.',
)}${olderLink('/console/accounts', { q }, older)}`;
  return consolePage(frame, { title: 'Accounts', section: 'accounts', body });
}

export interface AccountView {
  account: Account;
  balance: Balance;
  keys: readonly ApiKey[];
  ledger: readonly LedgerLine[];
  /** Where the ledger goes on. */
  olderLedger: string | undefined;
  days: readonly DayTotal[];
  engines: readonly EngineDays[];
  tasks: readonly FoundTask[];
}

export function accountPage(frame: ConsoleFrame, view: AccountView): string {
  const { account, balance } = view;
  const days = view.days.map(({ day, credits, completed, failed }) => ({
    value: credits,
    label: `${day}: ${credits.toLocaleString('en')} credits, ${completed} completed, ${failed} failed`,
  }));
  const body = html`<p><a href="/console/accounts">Accounts</a></p><h1>${account.name}</h1>
${account.suspendedAt && html`<div class="notice warn"><p>Suspended since ${moment(account.suspendedAt)}: ${account.suspendedReason}</p></div>`}
${accountActions(frame, account)}
<div class="halves"><section class="card"><h2>Account</h2>${facts([
    ['Id', html`<code>${account.id}</code>`],
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
<section class="card"><h2>Last 30 days</h2>${barChart('Credits charged on each of the last 30 days', days)}<p class="muted small">Credits charged on each day. <a href="${addressOf('/console/usage', { account: account.id, by: 'day,action,pair' })}">All usage</a></p>
${table(
  ['Engine', 'Calls', 'Tokens in', 'Tokens out'],
  view.engines.map((each) => [
    each.engine,
    number(each.calls),
    number(each.inputTokens + each.cachedInputTokens),
    number(each.outputTokens),
  ]),
  'No engine was asked.',
)}</section></div>
<section class="card"><h2>Keys</h2>
<div class="actions">${disclosed(
    'New key',
    changeForm(
      frame,
      `/console/accounts/${account.id}/keys`,
      html`${choice(
        'Kind',
        'mode',
        [
          ['live', 'live'],
          ['test', 'test: moves no credits'],
        ],
        'live',
      )}<button class="primary">Create key</button>`,
    ),
  )}</div>
${table(
  ['Prefix', 'Kind', 'State', 'Last used', 'Created', ''],
  view.keys.map((key) => [
    html`<code>${key.prefix}</code>`,
    key.mode,
    key.revokedAt ? html`${tag('revoked')} <span class="small">${moment(key.revokedAt)}</span>` : tag('live'),
    key.lastUsedAt ? moment(key.lastUsedAt) : html`<span class="muted">never</span>`,
    moment(key.createdAt),
    key.revokedAt === undefined &&
      disclosed(
        'Revoke',
        changeForm(
          frame,
          `/console/accounts/${account.id}/keys/${key.id}/revoke`,
          html`<p>The next request with it is refused.</p><button class="danger">Revoke ${key.prefix}</button>`,
        ),
      ),
  ]),
  'It has no key.',
)}</section>
<section class="card"><h2>Ledger</h2>${table(
    ['When', 'What', 'Credits', 'Task or reference', 'Reason'],
    view.ledger.map((line) => [
      moment(line.createdAt),
      line.kind,
      number(line.credits),
      line.taskId !== undefined
        ? html`<a href="/console/tasks/${line.taskId}"><code>${line.taskId}</code></a>`
        : html`<span class="breakable">${line.reference}</span>`,
      html`<span class="breakable">${line.reason}</span>`,
    ]),
    'Nothing was booked yet.',
  )}${olderLink(`/console/accounts/${account.id}`, {}, view.olderLedger)}</section>
<section class="card"><h2>Newest tasks</h2>${taskTable(view.tasks, 'It has no task yet.')}<p><a href="${addressOf('/console/tasks', { account: account.id })}">All its tasks</a></p></section>`;
  return consolePage(frame, { title: account.name, section: 'accounts', body });
}

function accountActions(frame: ConsoleFrame, account: Account): Html {
  const at = `/console/accounts/${account.id}`;
  return html`<div class="actions">${disclosed(
    'Top up',
    changeForm(
      frame,
      `${at}/top-up`,
      html`${field('Credits', 'credits', { type: 'number', required: true })}${field('Reference', 'reference', { hint: 'invoice number' })}<p class="muted small">The same reference never counts twice.</p><button class="primary">Add credits</button>`,
    ),
  )}${disclosed(
    'Refund',
    changeForm(
      frame,
      `${at}/refund`,
      html`${field('Credits', 'credits', { type: 'number', required: true })}${field('Reference', 'reference', { required: true })}${field('Reason', 'reason', { required: true })}${field('Task', 'task', { hint: 'optional task id' })}<button class="primary">Refund credits</button>`,
    ),
  )}${disclosed(
    'Limits',
    changeForm(
      frame,
      `${at}/update`,
      html`${field('Requests a minute', 'rate_limit', { type: 'number', value: account.rateLimitPerMinute, required: true })}${field('Tell below this many credits (0 = never)', 'low_balance', { type: 'number', value: account.lowBalanceCredits ?? 0, required: true })}${choice(
        'Previews',
        'credit_previews',
        [
          ['off', 'not credited'],
          ['on', 'credited to the full run'],
        ],
        account.creditPreviews ? 'on' : 'off',
      )}<button class="primary">Save limits</button>`,
    ),
  )}${
    account.suspendedAt
      ? changeForm(frame, `${at}/resume`, html`<button>Resume</button>`)
      : disclosed(
          'Suspend',
          changeForm(
            frame,
            `${at}/suspend`,
            html`${field('Reason', 'reason', { required: true })}<p class="muted small">Its keys are refused from the next request on; running tasks finish.</p><button class="danger">Suspend account</button>`,
          ),
        )
  }</div>`;
}
