import type { LedgerPage, UsageDays, UsageRecord } from '../../client/src/wire-types.ts';
import { queryText } from '../http/page-form.ts';
import { dayChart } from '../pages/charts.ts';
import { html } from '../pages/html.ts';
import { inPlainWords } from '../pages/names.ts';
import { disclosed, moment, number, olderLink, table } from '../pages/parts.ts';
import type { AccountRoutes } from './account-frame.ts';
import { balanceTiles } from './tasks-page.ts';

export function registerUsagePage({ page }: AccountRoutes): void {
  page('/usage', async (request, frame) => {
    const { api } = frame;
    const usage = await api.get<UsageRecord>('/usage');
    const { days } = await api.get<UsageDays>('/usage/days');
    const ledger = await api.get<LedgerPage>('/usage/ledger', { limit: '50', cursor: queryText(request, 'before') });
    const body = html`<h1>Usage</h1>${balanceTiles(usage)}
<section class="card"><h2>Last 30 days</h2>${dayChart('Credits charged on each day (UTC)', days)}${disclosed(
      'As a table',
      table(
        ['Day', 'Completed', 'Failed', 'Cancelled', 'Characters', 'Credits'],
        days
          .toReversed()
          .map(({ day, completed, failed, cancelled, characters, credits }) => [
            day,
            ...[completed, failed, cancelled, characters, credits].map(number),
          ]),
        '',
      ),
    )}</section>
<section class="card"><h2>Ledger</h2>${table(
      ['When', 'What', 'Credits', 'Task or reference'],
      ledger.lines.map((line) => [
        moment(line.created_at),
        inPlainWords(line.kind),
        number(line.credits),
        line.task_id !== null
          ? html`<a href="/account/tasks/${line.task_id}"><code>${line.task_id}</code></a>${line.external_id !== null && html`<br><span class="muted small breakable">${line.external_id}</span>`}`
          : html`<span class="breakable">${line.reference}</span>`,
      ]),
      'Nothing was booked yet.',
    )}${olderLink('/account/usage', {}, ledger.next_cursor ?? undefined)}</section>`;
    return { title: 'Usage', section: 'usage', body };
  });
}
