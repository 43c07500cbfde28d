import {
  cancelForOperator,
  downloadForOperator,
  isReadable,
  openForOperator,
  requeueForOperator,
  retryForOperator,
} from '../operators/task-changes.ts';
import { type Pace, readPace } from '../operators/task-search-store.ts';
import { type TaskStory, tellTask } from '../operators/task-story.ts';
import { type Html, type HtmlValue, html } from '../pages/html.ts';
import { inPlainWords, jsonInWords, languagePair, nameOfFile } from '../pages/names.ts';
import { bytes, costInWords, facts, moment, number, pageHead, table, tag } from '../pages/parts.ts';
import { changeForm, disclosedForm, type WorkFrame } from '../pages/work-page.ts';
import { isDownloadable } from '../tasks/output-files.ts';
import { type ConsoleRoutes, type ConsoleServices, param, type Show } from './console-routes.ts';
import { progressParts, runningOf } from './tasks-page.ts';

export function registerTaskPage({ page, change }: ConsoleRoutes, services: ConsoleServices): void {
  const { db, urlSigningKey } = services;
  const show: Show = async (request, frame) => {
    const story = await tellTask(db, param(request, 'id'));
    const { task } = story;
    const pace = (await readPace(db, runningOf([task]))).get(task.id);
    const live = task.status === 'pending' && html` data-live="/console/tasks/${task.id}"`;
    const title = story.bookTitle ?? task.fileName;
    const body = html`${pageHead(title, { href: '/console/tasks', text: 'Tasks' }, task.id)}
${taskActions(frame, story)}
<div id="live"${live}>${taskParts(frame, story, pace)}</div>`;
    return { title, section: 'tasks', body };
  };
  page('/tasks/:id', show);
  const addressOf = (taskId: string, done: string) => `/console/tasks/${taskId}?done=${done}`;
  change('/tasks/:id/cancel', show, async (request, actor) => {
    await cancelForOperator(services, actor, param(request, 'id'));
    return { goTo: addressOf(param(request, 'id'), 'cancelled') };
  });
  change('/tasks/:id/read', show, async (request, actor) => ({
    goTo: await openForOperator(db, actor, param(request, 'id'), urlSigningKey),
  }));
  change('/tasks/:id/retry', show, async (request, actor) => ({
    goTo: addressOf(await retryForOperator(services, actor, param(request, 'id')), 'retried'),
  }));
  change('/tasks/:id/files/:file', show, async (request, actor) => {
    const file = { taskId: param(request, 'id'), fileId: param(request, 'file') };
    return { goTo: await downloadForOperator(db, actor, file, urlSigningKey) };
  });
  change('/tasks/:id/requeue', show, async (request, actor) => {
    await requeueForOperator(services, actor, param(request, 'id'));
    return { goTo: addressOf(param(request, 'id'), 'requeued') };
  });
}

function taskActions(frame: WorkFrame, { task }: TaskStory): HtmlValue {
  const at = `/console/tasks/${task.id}`;
  const parts: Html[] = [];
  if (task.status === 'pending') {
    parts.push(
      disclosedForm(
        frame,
        'Cancel',
        `${at}/cancel`,
        html`<p>What is finished is charged and delivered; the rest of the held credits is released. This cannot be undone.</p><button class="danger">Cancel this task</button>`,
      ),
      disclosedForm(
        frame,
        'Requeue',
        `${at}/requeue`,
        html`<p>The task gets a new job and waits for a worker; what is finished is kept.</p><button>Requeue this task</button>`,
      ),
    );
  }
  if (task.status === 'failed' && task.sourceKey !== undefined)
    parts.push(
      disclosedForm(
        frame,
        'Retry',
        `${at}/retry`,
        html`<p>A new task with the same order. Its credits are held anew; this one was charged nothing. The partner finds it by the same metadata.</p><button class="primary">Retry as a new task</button>`,
      ),
    );
  if (isReadable(task)) parts.push(changeForm(frame, `${at}/read`, html`<button>Read</button>`));
  return parts.length > 0 && html`<div class="actions">${parts}</div>`;
}

/** What renews itself. */
function taskParts(frame: WorkFrame, story: TaskStory, pace: Pace | undefined): Html {
  const { task, work, care } = story;
  const metadata = Object.entries(task.partnerMetadata);
  const { warnings, coverage, quality } = task.result;
  return html`${
    task.error && html`<div class="notice bad"><p><b>${task.error.code}</b> ${task.error.message}</p></div>`
  }${story.advice !== undefined && html`<div class="notice"><p><b>What to do:</b> ${story.advice}</p></div>`}<div class="halves"><section class="card"><h2>Task</h2>${facts(
    [
      ['State', html`${tag(task.status)}${task.status === 'pending' && progressParts(task, pace)}`],
      ['Account', html`<a href="/console/accounts/${task.accountId}">${story.accountName}</a>`],
      ['Action', html`${inPlainWords(task.action)}${task.sandbox && html` ${tag('test key')}`}`],
      ['File', html`<span class="breakable">${task.fileName}</span>`],
      ['Languages', languagePair(task.detectedLang ?? task.sourceLang, task.targetLang)],
      ['Characters', number(task.charCount)],
      [
        'Credits',
        html`${number(task.estimatedCredits)} estimated${task.creditsCharged !== undefined && html`, ${number(task.creditsCharged)} charged`}`,
      ],
      ['Kept in storage', bytes(story.storedBytes)],
    ],
  )}</section>
<section class="card"><h2>Work</h2>${facts([
    ['Attempts', html`${number(task.attempt)}${story.lostAttempts > 0 && html`, ${story.lostAttempts} lost in a row`}`],
    ['Faults of ours', number(story.faults)],
    ['Passages finished', html`${number(work.segments)} (${number(work.characters)} characters)`],
    ['Chapters ready', html`${number(work.readyChapters)} of ${number(work.chapters)}`],
    [
      'Engine said last',
      story.engineFault === undefined ? html`<span class="muted">no fault</span>` : story.engineFault,
    ],
    ['Repairs', jsonInWords(care.repairs) || undefined],
    ['Faults left', jsonInWords(care.faults) || undefined],
    ['Left untranslated', jsonInWords(care.untranslated) || undefined],
    ['Quality', quality === undefined ? undefined : jsonInWords(quality)],
    ['Coverage', coverage === undefined ? undefined : jsonInWords(coverage)],
  ])}</section></div>
<section class="card"><h2>What happened</h2><ol class="timeline">${story.timeline.map(({ at, what }) => html`<li>${moment(at)} <span class="breakable">${what}</span></li>`)}</ol></section>
<section class="card"><h2>Log</h2>${table(
    ['When', 'Attempt', 'What'],
    story.log.map(({ at, attempt, level, text }) => [
      moment(at),
      number(attempt),
      html`${level !== 'info' && tag(level, level === 'error' ? 'bad' : 'warn')} <span class="breakable">${text}</span>`,
    ]),
    task.purgedAt ? 'It was removed with the text.' : 'No worker has taken it yet.',
  )}</section>
<section class="card"><h2>Engines</h2>${table(
    ['Engine', 'Calls', 'Failed', 'Tokens in', 'Cached', 'Tokens out', 'Cost'],
    story.engines.map((each) => [
      each.engine,
      number(each.calls),
      html`${number(each.failedCalls)}${Object.keys(each.faults).length > 0 && html`<br><span class="muted small">${jsonInWords(each.faults)}</span>`}`,
      ...[each.inputTokens, each.cachedInputTokens, each.outputTokens].map(number),
      costInWords(each),
    ]),
    task.sandbox ? 'Tasks of test keys use no engine.' : 'No call yet, or it was made before calls were counted.',
  )}</section>
${Array.isArray(warnings) && warnings.length > 0 && html`<section class="card"><h2>Warnings</h2><ul>${warnings.slice(0, 50).map((warning) => html`<li class="breakable">${warningSentence(warning)}</li>`)}</ul></section>`}
<div class="halves"><section class="card"><h2>Outputs</h2>${table(
    ['Output', 'File', 'Size', ''],
    story.outputs
      .filter(({ fileId }) => isDownloadable(fileId))
      .map(({ fileId, fileName, sizeBytes }) => [
        nameOfFile(fileId),
        html`<span class="breakable">${fileName}</span>`,
        html`<span class="number">${bytes(sizeBytes)}</span>`,
        changeForm(
          frame,
          `/console/tasks/${task.id}/files/${encodeURIComponent(fileId)}`,
          html`<button aria-label="Download ${nameOfFile(fileId)}">Download</button>`,
        ),
      ]),
    task.purgedAt ? 'Its text was removed.' : 'None.',
  )}</section>
<section class="card"><h2>Metadata</h2>${metadata.length === 0 ? html`<p class="muted">None.</p>` : facts(metadata.map(([name, value]) => [name, html`<span class="breakable">${value}</span>`]))}</section></div>`;
}

/** What the partner is told too. */
function warningSentence(warning: unknown): string {
  const { message, count } = (warning ?? {}) as { message?: unknown; count?: unknown };
  if (typeof message !== 'string') return jsonInWords(warning);
  return typeof count === 'number' ? `${message} (${count.toLocaleString('en')} times)` : message;
}
