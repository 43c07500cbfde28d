import type { Task, TaskList, UsageRecord } from '../../client/src/wire-types.ts';
import { queryText } from '../http/page-form.ts';
import { stageProgress } from '../pages/charts.ts';
import { codeWord, type Html, html } from '../pages/html.ts';
import { inPlainWords, languagePair } from '../pages/names.ts';
import { field, moment, number, olderLink, stateTabs, table, tag, taskStates, tile } from '../pages/parts.ts';
import type { AccountRoutes } from './account-frame.ts';

const pageSize = '20';

export function registerTasksPage({ page }: AccountRoutes): void {
  page('', async (request, frame) => {
    const query = { status: queryText(request, 'status'), external_id: queryText(request, 'external_id') };
    const usage = await frame.api.get<UsageRecord>('/usage');
    const cursor = queryText(request, 'before');
    const { tasks, next_cursor } = await frame.api.get<TaskList>('/tasks', { ...query, cursor, limit: pageSize });
    const running = tasks.some(({ status }) => status === 'pending');
    const body = html`<h1>Tasks</h1>
${balanceTiles(usage)}
${stateTabs('/account', query, taskStates)}
<form class="search" method="get" action="/account" role="search">${field('External id', 'external_id', { value: query.external_id, type: 'search' })}<input type="hidden" name="status" value="${query.status}"><button class="primary">Search</button></form>
<div id="live"${running && html` data-renew="10"`}>${taskTable(tasks, 'No task matches.')}</div>
${olderLink('/account', query, next_cursor ?? undefined)}`;
    return { title: 'Tasks', section: 'tasks', body };
  });
}

export function balanceTiles(usage: UsageRecord): Html {
  const period =
    usage.period_end === null ? 'since the account was opened' : `since ${usage.period_start.slice(0, 10)}`;
  return html`<div class="tiles">${tile('Balance', number(usage.balance_credits), 'credits to spend')}${tile('Held', number(usage.reserved_credits), 'for tasks that run')}${tile('Used', number(usage.period_used_credits), period)}</div>`;
}

export function taskTable(tasks: readonly Task[], empty: string): Html {
  return table(
    ['Task', 'State', 'What', 'Characters', 'Charged', 'Created'],
    tasks.map((task) => [
      html`<a class="breakable" href="/account/tasks/${task.task_id}">${task.file_name ?? inPlainWords(task.action)}</a><br><code class="small muted">${task.task_id}</code>${
        task.partner_metadata?.external_id !== undefined &&
        html`<br><span class="muted small breakable">${task.partner_metadata.external_id}</span>`
      }`,
      taskState(task),
      html`${inPlainWords(task.action)}<br><span class="muted small">${languages(task)}</span>`,
      number(task.char_count),
      task.credits_charged === undefined ? '' : number(task.credits_charged),
      moment(task.created_at),
    ]),
    empty,
  );
}

export function taskState(task: Task): Html {
  const { status, stage, progress = 0, error } = task;
  return html`${tag(status)}${status === 'pending' && stageProgress(stage, progress)}${error && html`<br><span class="small">${codeWord(error.code)}</span>`}`;
}

export function languages({ source_lang, detected_language, target_lang }: Task): string {
  return languagePair(detected_language ?? source_lang, target_lang);
}
