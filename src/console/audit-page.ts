import { queryText } from '../http/page-form.ts';
import { listAudit } from '../operators/audit-store.ts';
import { type Html, html } from '../pages/html.ts';
import { jsonInWords } from '../pages/names.ts';
import { moment, olderLink, pageOf, pageSize, table } from '../pages/parts.ts';
import type { ConsoleRoutes, ConsoleServices } from './console-routes.ts';

export function registerAuditPage({ page }: ConsoleRoutes, { db }: ConsoleServices): void {
  page('/audit', async (request) => {
    const before = queryText(request, 'before');
    const found = await listAudit(db, {
      limit: pageSize + 1,
      before: /^[1-9]\d{0,15}$/.test(before) ? Number(before) : undefined,
    });
    const { shown, older } = pageOf(found, ({ id }) => String(id));
    const body = html`<h1>Audit log</h1><p class="muted">What operators changed, newest first. Entries can be neither changed nor removed.</p>
${table(
  ['When', 'Who', 'What', 'On', 'Account', 'Details'],
  shown.map((entry) => [
    moment(entry.at),
    entry.actor,
    entry.action,
    subjectLink(entry.subject),
    entry.accountId === undefined ? '' : html`<a href="/console/accounts/${entry.accountId}">${entry.accountName}</a>`,
    html`<span class="small breakable">${jsonInWords(entry.details ?? {})}</span>`,
  ]),
  'No operator has changed anything yet.',
)}${olderLink('/console/audit', {}, older)}`;
    return { title: 'Audit log', section: 'audit', body };
  });
}

function subjectLink(subject: string): Html {
  const code = html`<code class="small breakable">${subject}</code>`;
  if (subject.startsWith('task_')) return html`<a href="/console/tasks/${subject}">${code}</a>`;
  if (subject.startsWith('acc_')) return html`<a href="/console/accounts/${subject}">${code}</a>`;
  return code;
}
