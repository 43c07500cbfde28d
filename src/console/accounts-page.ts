import { fieldsOf, oneOf, queryText, requiredText, wholeNumber } from '../http/page-form.ts';
import { createAccount } from '../operators/account-changes.ts';
import { searchAccounts } from '../operators/lists-store.ts';
import { html } from '../pages/html.ts';
import { choice, field, moment, number, olderLink, pageOf, pageSize, table, tag } from '../pages/parts.ts';
import { disclosedForm } from '../pages/work-page.ts';
import type { ConsoleRoutes, ConsoleServices, Show } from './console-routes.ts';

export function registerAccountsPage({ page, change }: ConsoleRoutes, { db, keyPepper }: ConsoleServices): void {
  const show: Show = async (request, frame) => {
    const q = queryText(request, 'q');
    const before = queryText(request, 'before') || undefined;
    const { shown, older } = pageOf(await searchAccounts(db, { text: q, before, limit: pageSize + 1 }), ({ id }) => id);
    const body = html`<h1>Accounts</h1>
<form class="search" method="get" action="/console/accounts" role="search">${field('Name begins with, or id', 'q', { value: q, type: 'search' })}<button class="primary">Search</button></form>
<div class="actions">${disclosedForm(
      frame,
      'New account',
      '/console/accounts',
      html`${field('Name', 'name', { required: true })}${field('Credits', 'credits', { type: 'number', value: 0 })}${field('Requests a minute', 'rate_limit', { type: 'number', value: 60 })}${choice(
        'Billing period',
        'period',
        { monthly: 'monthly', open: 'open' },
        'monthly',
      )}<button class="primary">Create account</button>`,
    )}</div>
${table(
  ['Account', 'State', 'Available', 'Held', 'Spent', 'A minute', 'Created'],
  shown.map((account) => [
    html`<a href="/console/accounts/${account.id}">${account.name}</a><br><code class="small">${account.id}</code>`,
    tag(account.suspendedAt ? 'suspended' : 'active'),
    number(account.available),
    number(account.reserved),
    number(account.spent),
    number(account.rateLimitPerMinute),
    moment(account.createdAt),
  ]),
  q === '' ? 'There is no account yet.' : 'No account matches.',
)}${olderLink('/console/accounts', { q }, older)}`;
    return { title: 'Accounts', section: 'accounts', body };
  };
  page('/accounts', show);
  change('/accounts', show, async (request, actor) => {
    const fields = fieldsOf(request);
    const order = {
      name: requiredText(fields, 'name'),
      rateLimitPerMinute: wholeNumber(fields, 'rate_limit'),
      billingPeriod: oneOf(fields, 'period', ['monthly', 'open']),
      credits: wholeNumber(fields, 'credits'),
    };
    const { account, key } = await createAccount(db, actor, order, keyPepper);
    const told = `The account "${account.name}" has this key. It is shown until you dismiss it, and never again:`;
    return { goTo: '/console/accounts', keep: { tone: 'good', text: told, secret: key } };
  });
}
