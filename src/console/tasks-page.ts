import { findAccount } from '../accounts/account-store.ts';
import { queryText } from '../http/page-form.ts';
import { type FoundTask, searchTasks } from '../operators/task-search-store.ts';
import { type Html, html } from '../pages/html.ts';
import { choice, field, moment, number, olderLink, percent, table, tag } from '../pages/parts.ts';
import { type Status, statuses } from '../tasks/states.ts';
import { type ConsoleFrame, consolePage } from './console-page.ts';
import type { ConsoleRoutes, ConsoleServices } from './console-routes.ts';

const pageSize = 50;

export function registerTasksPage({ page }: ConsoleRoutes, { db }: ConsoleServices): void {
  page('/tasks', async (request, frame) => {
    const query = {
      q: queryText(request, 'q'),
      account: queryText(request, 'account'),
      status: queryText(request, 'status'),
    };
    const before = queryText(request, 'before') || undefined;
    const status = (statuses as readonly string[]).includes(query.status) ? (query.status as Status) : undefined;
    const account = query.account === '' ? undefined : await accountId(query.account);
    const found =
      account === null
        ? []
        : await searchTasks(db, { text: query.q, accountId: account, status, before, limit: pageSize + 1 });
    const shown = found.slice(0, pageSize);
    return taskListPage(frame, query, shown, found.length > pageSize ? shown.at(-1)?.id : undefined);
  });

  /** Null when there is none. */
  async function accountId(idOrName: string): Promise<string | null> {
    try {
      return (await findAccount(db, idOrName)).id;
    } catch {
      return null;
    }
  }
}

interface TaskListQuery {
  q: string;
  account: string;
  status: string;
}

const statusChoices = [
  ['', 'any'],
  ['pending', 'pending'],
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
] as const;

function taskListPage(
  frame: ConsoleFrame,
  query: TaskListQuery,
  tasks: readonly FoundTask[],
  older: string | undefined,
): string {
  const body = html`<h1>Tasks</h1>
<form class="search" method="get" action="/console/tasks" role="search">
${field('Task id, external id or error', 'q', { value: query.q, type: 'search' })}
${field('Account', 'account', { value: query.account, hint: 'name or id' })}
${choice('Status', 'status', statusChoices, query.status)}
<button class="primary">Search</button></form>
${taskTable(tasks, 'No task matches.')}
${olderLink('/console/tasks', { ...query }, older)}`;
  return consolePage(frame, { title: 'Tasks', section: 'tasks', body });
}

export function taskTable(tasks: readonly FoundTask[], empty: string): Html {
  return table(
    ['Task', 'Account', 'What', 'State', 'Characters', 'Charged', 'Created'],
    tasks.map((task) => [
      html`<a href="/console/tasks/${task.id}"><code>${task.id}</code></a><br><span class="small breakable">${task.fileName}</span>${
        task.externalId !== undefined && html`<br><span class="muted small breakable">${task.externalId}</span>`
      }`,
      html`<a href="/console/accounts/${task.accountId}">${task.accountName}</a>`,
      html`${task.action}<br><span class="muted small">${task.sourceLang}${task.targetLang !== undefined && html` to ${task.targetLang}`}${task.sandbox && ', test'}</span>`,
      html`${tag(task.status)}${task.status === 'pending' && html`<br><span class="small">${task.stage}, ${percent(task.progress)}</span>`}${
        task.errorCode !== undefined && html`<br><span class="small">${task.errorCode}</span>`
      }`,
      number(task.charCount),
      task.creditsCharged === undefined ? '' : number(task.creditsCharged),
      moment(task.createdAt),
    ]),
    empty,
  );
}
