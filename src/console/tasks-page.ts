import type { FastifyRequest } from 'fastify';
import { findAccount } from '../accounts/account-store.ts';
import { badRequest } from '../errors.ts';
import { fieldsOf, queryText } from '../http/page-form.ts';
import { cancelForOperator } from '../operators/task-changes.ts';
import {
  countByStatus,
  type FoundTask,
  mostCounted,
  type Pace,
  readPace,
  searchTasks,
} from '../operators/task-search-store.ts';
import { stageProgress } from '../pages/charts.ts';
import { codeWord, type Html, html } from '../pages/html.ts';
import { inPlainWords, languagePair } from '../pages/names.ts';
import {
  addressOf,
  disclosed,
  duration,
  field,
  moment,
  number,
  olderLink,
  pageOf,
  pageSize,
  stateTabs,
  table,
  tag,
  taskStates,
} from '../pages/parts.ts';
import type { Db } from '../platform/postgres.ts';
import { type Status, statuses } from '../tasks/states.ts';
import type { ConsoleRoutes, ConsoleServices, Show } from './console-routes.ts';

export function registerTasksPage({ page, change }: ConsoleRoutes, services: ConsoleServices): void {
  const { db } = services;
  const show: Show = async (request, frame) => {
    const view = await findTasks(db, request);
    const { query, before } = view;
    const body = html`<h1>Tasks</h1>
<form class="search" method="get" action="/console/tasks" role="search">
${field('Task id, file name, external id or error', 'q', { value: query.q, type: 'search' })}
${field('Account', 'account', { value: query.account, hint: 'name or id' })}
<input type="hidden" name="status" value="${query.status}"><button class="primary">Search</button></form>
<div id="live" data-live="${addressOf('/console/tasks', { ...query, before })}">${taskListParts(view)}</div>
${
  view.tasks.some(({ status }) => status === 'pending') &&
  disclosed(
    'Cancel several',
    html`<form class="change" id="several" method="post" action="/console/tasks/cancel"><input type="hidden" name="csrf" value="${frame.csrf}"><p>Choose pending tasks in the list first. What is finished of them is charged and delivered. This cannot be undone.</p><button class="danger">Cancel the chosen tasks</button></form>`,
  )
}`;
    return { title: 'Tasks', section: 'tasks', body };
  };
  page('/tasks', show);
  change('/tasks/cancel', show, async (request, actor) => {
    const ids = fieldsOf(request).getAll('task').slice(0, pageSize);
    if (ids.length === 0) throw badRequest('Choose the tasks to cancel first.', { field: 'task' });
    let cancelled = 0;
    for (const id of ids)
      await cancelForOperator(services, actor, id).then(
        () => cancelled++,
        () => {},
      );
    const others = ids.length - cancelled;
    const text = `${cancelled} ${cancelled === 1 ? 'task is' : 'tasks are'} cancelled.${others > 0 ? ` ${others} had ended before.` : ''}`;
    return { tone: cancelled > 0 ? 'good' : 'bad', text };
  });
}

async function findTasks(db: Db, request: FastifyRequest) {
  const query = {
    q: queryText(request, 'q'),
    account: queryText(request, 'account'),
    status: queryText(request, 'status'),
  };
  const before = queryText(request, 'before') || undefined;
  const status = (statuses as readonly string[]).includes(query.status) ? (query.status as Status) : undefined;
  // Null when there is none.
  const account =
    query.account === ''
      ? undefined
      : await findAccount(db, query.account).then(
          ({ id }) => id,
          () => null,
        );
  const found =
    account === null
      ? []
      : await searchTasks(db, { text: query.q, accountId: account, status, before, limit: pageSize + 1 });
  const { shown: tasks, older } = pageOf(found, ({ id }) => id);
  return {
    query,
    before,
    tasks,
    // A text is looked for in a bounded part of the tasks: what it would find in each state is not known.
    counts: query.q === '' && account !== null ? await countByStatus(db, account) : undefined,
    pace: await readPace(db, runningOf(tasks)),
    older,
  };
}

type TaskList = Awaited<ReturnType<typeof findTasks>>;

/** What renews itself. */
function taskListParts({ query, tasks, counts, pace, older }: TaskList): Html {
  const countOf = (status: string) => (status === '' ? undefined : counts && countInWords(counts[status as Status]));
  return html`${stateTabs('/console/tasks', query, taskStates, countOf)}${taskTable(tasks, 'No task matches.', { pace, mayChoose: true })}${olderLink('/console/tasks', { ...query }, older)}`;
}

function countInWords(count: number): string {
  return count > mostCounted ? `${mostCounted.toLocaleString('en')}+` : count.toLocaleString('en');
}

/** Whose pace is worth asking for. */
export function runningOf(tasks: readonly Pick<FoundTask, 'id' | 'stage'>[]): string[] {
  return tasks.filter(({ stage }) => stage === 'translating').map(({ id }) => id);
}

export function taskTable(
  tasks: readonly FoundTask[],
  empty: string,
  { pace = new Map(), mayChoose = false }: { pace?: ReadonlyMap<string, Pace>; mayChoose?: boolean } = {},
): Html {
  return table(
    ['Task', 'State', 'Account', 'What', 'Characters', 'Charged', 'Created'],
    tasks.map((task) => [
      html`${
        mayChoose &&
        task.status === 'pending' &&
        html`<label class="choose"><input type="checkbox" name="task" value="${task.id}" form="several"><span class="visually-hidden">Choose ${task.id}</span></label> `
      }<a class="breakable" href="/console/tasks/${task.id}">${task.bookTitle ?? task.fileName}</a>${
        task.bookTitle !== undefined && html`<br><span class="small breakable">${task.fileName}</span>`
      }<br><code class="small muted">${task.id}</code>${
        task.externalId !== undefined && html`<br><span class="muted small breakable">${task.externalId}</span>`
      }`,
      html`${tag(task.status)}${task.status === 'pending' && progressParts(task, pace.get(task.id))}${
        task.errorCode !== undefined && html`<br><span class="small">${codeWord(task.errorCode)}</span>`
      }`,
      html`<a href="/console/accounts/${task.accountId}">${task.accountName}</a>`,
      html`${inPlainWords(task.action)}<br><span class="muted small">${languagePair(task.sourceLang, task.targetLang)}${task.sandbox && ', test'}</span>`,
      number(task.charCount),
      task.creditsCharged === undefined ? '' : number(task.creditsCharged),
      moment(task.createdAt),
    ]),
    empty,
  );
}

/** A bar, and how fast and how long still where it is known. */
export function progressParts(
  { stage, progress, charCount }: Pick<FoundTask, 'stage' | 'progress' | 'charCount'>,
  pace: Pace | undefined,
): Html {
  const perMinute = Math.round(pace?.charactersPerMinute ?? 0);
  const left = Math.max(0, charCount - (pace?.characters ?? 0));
  return html`${stageProgress(stage, progress)}${
    perMinute > 0 &&
    html`<span class="muted small">${perMinute.toLocaleString('en')} characters a minute, about ${duration((left / perMinute) * 60)} left</span>`
  }`;
}
