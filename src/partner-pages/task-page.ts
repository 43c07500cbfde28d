import type { DownloadResult, FileId, ReaderLink, Task } from '../../client/src/wire-types.ts';
import { fieldsOf } from '../http/page-form.ts';
import { type Html, html } from '../pages/html.ts';
import { inPlainWords, nameOfFile } from '../pages/names.ts';
import { bytes, choice, facts, moment, number, pageHead, table } from '../pages/parts.ts';
import { disclosedForm } from '../pages/work-page.ts';
import { type AccountFrame, type AccountRoutes, part, type Show } from './account-frame.ts';
import { languages, taskState } from './tasks-page.ts';

export function registerTaskPage({ page, change, redirect }: AccountRoutes): void {
  const show: Show = async (request, frame) => {
    const task = await frame.api.get<Task>(`/tasks/${part(request, 'id')}`);
    const pending = task.status === 'pending';
    const made = (task.download_files ?? []).map(({ file_id }) => file_id);
    const others = made.includes('translated') ? onDemand.filter((file) => !made.includes(file)) : [];
    const body = html`${pageHead(task.file_name ?? inPlainWords(task.action), { href: '/account', text: 'Tasks' }, task.task_id)}
${taskActions(frame, task)}
<div id="live"${pending && html` data-renew="5"`}>${task.error && html`<div class="notice bad"><p>${task.error.message}</p></div>`}
<section class="card"><h2>Task</h2>${facts([
      ['State', taskState(task)],
      ['Waits', task.stage_detail?.message],
      ['Action', html`${inPlainWords(task.action)}${task.livemode === false && ' (test key)'}`],
      ['Languages', languages(task)],
      ['Characters', number(task.char_count)],
      ['Credits estimated', task.estimated_credits === undefined ? undefined : number(task.estimated_credits)],
      ['Credits charged', task.credits_charged === undefined ? undefined : number(task.credits_charged)],
      ['Quality', task.quality],
      ['Series', task.series_id && html`<a href="/account/series/${task.series_id}">${task.series_id}</a>`],
      ['Created', moment(task.created_at)],
      ['Ended', moment(task.ended_at)],
      ...Object.entries(task.partner_metadata ?? {}),
    ])}</section>
<section class="card"><h2>Files</h2>${table(
      ['File', 'Size'],
      (task.download_files ?? []).map((file) => [
        html`<a href="/account/tasks/${task.task_id}/files/${file.file_id}">${nameOfFile(file.file_id)}</a><br><span class="small muted breakable">${file.file_name}</span>`,
        html`<span class="number">${bytes(file.file_size)}</span>`,
      ]),
      task.purged_at === undefined ? 'There is no file to download.' : 'The text of this task was removed.',
    )}${others.length > 0 && html`<p class="small">Made when you ask for them: ${others.map((file) => html`<a href="/account/tasks/${task.task_id}/files/${file}">${nameOfFile(file)}</a>`).flatMap((link, i) => (i === 0 ? [link] : [', ', link]))}</p>`}</section>
${(task.warnings ?? []).length > 0 && html`<section class="card"><h2>Warnings</h2><ul>${task.warnings?.map(({ message, count }) => html`<li class="breakable">${message}${count !== undefined && ` (${count.toLocaleString('en')})`}</li>`)}</ul></section>`}</div>`;
    return { title: task.file_name ?? task.task_id, section: 'tasks', body };
  };
  page('/tasks/:id', show);
  redirect('/tasks/:id/files/:file', async (request, api) => {
    const path = `/tasks/${part(request, 'id')}/download`;
    return (await api.get<DownloadResult>(path, { file_id: decodeURIComponent(part(request, 'file')) })).download_url;
  });
  change('/tasks/:id/reader-link', show, async (request, api) => {
    const editable = fieldsOf(request).get('editable') === 'true';
    const { url, expires_at } = await api.post<ReaderLink>(`/tasks/${part(request, 'id')}/reader-link`, { editable });
    const until = expires_at.slice(0, 16).replace('T', ' ');
    const text = `Everybody who has this link can ${editable ? 'read and correct' : 'read'} the book until ${until} UTC:`;
    return { tone: 'good', text, secret: url, href: url };
  });
  change('/tasks/:id/cancel', show, async (request, api) => {
    await api.post(`/tasks/${part(request, 'id')}/cancel`);
    return { tone: 'good', text: 'The task is cancelled.' };
  });
}

/** Files that the service makes of every finished translation. */
const onDemand: readonly FileId[] = ['bilingual', 'xliff', 'tmx', 'glossary_tbx'];

function taskActions(frame: AccountFrame, task: Task): Html {
  const at = `/account/tasks/${task.task_id}`;
  const readable =
    ['translation', 'preview_translation'].includes(task.action) &&
    task.status !== 'failed' &&
    task.purged_at === undefined;
  return html`<div class="actions">${
    readable &&
    disclosedForm(
      frame,
      'Reader link',
      `${at}/reader-link`,
      html`${choice(
        'Everyone who has it may',
        'editable',
        { false: 'read', true: 'read and correct' },
        'false',
      )}<button class="primary">Make a link</button>`,
    )
  }${
    task.status === 'pending' &&
    disclosedForm(
      frame,
      'Cancel',
      `${at}/cancel`,
      html`<p>What is finished is charged and delivered; the rest of the held credits is released. This cannot be undone.</p><button class="danger">Cancel this task</button>`,
    )
  }</div>`;
}
