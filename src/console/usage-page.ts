import type { FastifyRequest } from 'fastify';
import { findAccount } from '../accounts/account-store.ts';
import { queryText } from '../http/page-form.ts';
import { reportUsage, usageCsv } from '../operators/usage-report.ts';
import { type UsageGroup, type UsageLine, usageSums } from '../operators/usage-store.ts';
import { type HtmlValue, html } from '../pages/html.ts';
import { inPlainWords, languagePair } from '../pages/names.ts';
import { addressOf, choice, costInWords, field, money, number, table } from '../pages/parts.ts';
import type { ConsoleRoutes, ConsoleServices } from './console-routes.ts';

const shownLines = 500;
const csvLines = 100_000;

export function registerUsagePage({ page, raw }: ConsoleRoutes, { db }: ConsoleServices): void {
  const usageOf = async (request: FastifyRequest, limit: number) => {
    const account = queryText(request, 'account');
    const accountId = account === '' ? undefined : (await findAccount(db, account)).id;
    const [from, to, by] = ['from', 'to', 'by'].map((name) => queryText(request, name) || undefined);
    return await reportUsage(db, { from, to, by, accountId }, limit);
  };
  page('/usage', async (request) => {
    const account = queryText(request, 'account');
    const report = await usageOf(request, shownLines);
    const { from, to, by, lines, engines } = report;
    const query = { from, to, by: by.join(','), account };
    const shown = (Object.keys(columns) as UsageGroup[]).filter((group) => by.includes(group));
    const rows: HtmlValue[][] = lines.map((line) => [
      ...shown.map((group) => columns[group].cell(line)),
      ...usageSums.map((name) => number(line[name])),
    ]);
    if (lines.length > 1 && !report.cut)
      rows.push([
        ...shown.map((_, i) => (i === 0 ? html`<b>Together</b>` : '')),
        ...usageSums.map((name) => number(lines.reduce((sum, line) => sum + line[name], 0))),
      ]);
    const body = html`<h1>Usage</h1>
<form class="search" method="get" action="/console/usage">${field('From', 'from', { type: 'date', value: from })}${field('To', 'to', { type: 'date', value: to })}${field('Account', 'account', { value: account, hint: 'name or id' })}${choice('By', 'by', groupings, by.join(','))}<button class="primary">Show</button></form>
<section class="card"><h2>Tasks that ended</h2>${table(
      [...shown.map((group) => columns[group].heading), 'Completed', 'Failed', 'Cancelled', 'Characters', 'Credits'],
      rows,
      'No task ended in these days.',
    )}${report.cut && html`<p>These are the first ${lines.length} lines; the CSV file has all.</p>`}
<p><a href="${addressOf('/console/usage.csv', query)}" download>As CSV</a> <span class="muted small">Days are in UTC. Tasks of test keys are left out.</span></p></section>
<section class="card"><h2>What engines were asked</h2>${table(
      ['Account', 'Engine', 'Calls', 'Failed', 'Tokens in', 'Cached', 'Tokens out', 'Cost'],
      engines.map((each) => [
        html`<a href="/console/accounts/${each.accountId}">${each.accountName}</a>`,
        each.engine,
        ...[each.calls, each.failedCalls, each.inputTokens, each.cachedInputTokens, each.outputTokens].map(number),
        costInWords(each),
      ]),
      'No engine was asked in these days.',
    )}</section>
<section class="card"><h2>Cost of each day</h2>${table(
      ['Day', 'Engine', 'Calls', 'Cost', 'Estimated'],
      report.costs.map((line) => [
        line.day,
        line.engine,
        number(line.calls),
        money(line.cost),
        money(line.estimatedCost),
      ]),
      'No engine with prices was asked in these days.',
    )}<p class="muted small">In the currency of the prices of each engine. Estimated: calls whose server never said what they used.</p></section>`;
    return { title: 'Usage', section: 'usage', body };
  });
  raw('/usage.csv', async (request, reply) => {
    const { from, to, lines } = await usageOf(request, csvLines);
    return reply
      .header('content-disposition', `attachment; filename="toledo-usage-${from}-${to}.csv"`)
      .type('text/csv; charset=utf-8')
      .send(usageCsv(lines));
  });
}

const groupings = {
  'account,action,pair': 'account, action and languages',
  account: 'account',
  'action,pair': 'action and languages',
  day: 'day',
  'day,account': 'day and account',
  'day,action,pair': 'day, action and languages',
  'day,account,action,pair': 'everything',
};

const columns: Record<UsageGroup, { heading: string; cell: (line: UsageLine) => HtmlValue }> = {
  day: { heading: 'Day', cell: (line) => line.day },
  account: {
    heading: 'Account',
    cell: (line) => html`<a href="/console/accounts/${line.accountId}">${line.accountName}</a>`,
  },
  action: { heading: 'Action', cell: (line) => inPlainWords(line.action ?? '') },
  pair: {
    heading: 'Languages',
    cell: (line) => languagePair(line.sourceLang, line.targetLang),
  },
};
