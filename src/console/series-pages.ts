import { queryText } from '../http/page-form.ts';
import { recentSeries, tellSeries } from '../operators/lists-store.ts';
import { html } from '../pages/html.ts';
import { languagePair } from '../pages/names.ts';
import { facts, moment, olderLink, pageHead, pageOf, pageSize, table, tag, termTable } from '../pages/parts.ts';
import { type ConsoleRoutes, type ConsoleServices, param } from './console-routes.ts';

export function registerSeriesPages({ page }: ConsoleRoutes, { db }: ConsoleServices): void {
  page('/series', async (request) => {
    const before = queryText(request, 'before') || undefined;
    const { shown, older } = pageOf(await recentSeries(db, { before, limit: pageSize + 1 }), ({ id }) => id);
    const body = html`<h1>Series</h1>
${table(
  ['Series', 'Account', 'Languages', 'Created'],
  shown.map((each) => [
    html`<a class="breakable" href="/console/series/${each.id}">${each.title}</a>${each.sandbox && html` ${tag('test key')}`}<br><code class="small muted">${each.id}</code>`,
    html`<a href="/console/accounts/${each.accountId}">${each.accountName}</a>`,
    languagePair(each.sourceLang, each.targetLang),
    moment(each.createdAt),
  ]),
  'There is no series yet.',
)}${olderLink('/console/series', {}, older)}`;
    return { title: 'Series', section: 'series', body };
  });
  page('/series/:id', async (request) => {
    const after = queryText(request, 'before') || undefined;
    const story = await tellSeries(db, param(request, 'id'), { after, limit: pageSize + 1 });
    const { shown, older } = pageOf(story.terms, ({ source }) => source);
    const body = html`${pageHead(story.title, { href: '/console/series', text: 'Series' }, story.id)}
<section class="card"><h2>Series</h2>${facts([
      ['Account', html`<a href="/console/accounts/${story.accountId}">${story.accountName}</a>`],
      ['Languages', languagePair(story.sourceLang, story.targetLang)],
      ['Style', html`<span class="breakable">${story.style ?? 'none'}</span>`],
      ['Created', moment(story.createdAt)],
    ])}</section>
<section class="card"><h2>Names and terms</h2>${termTable(shown)}${olderLink(`/console/series/${story.id}`, {}, older, 'More terms')}</section>
<section class="card"><h2>Newest tasks</h2>${table(
      ['Task', 'State', 'Created'],
      story.tasks.map((task) => [
        html`<a class="breakable" href="/console/tasks/${task.id}">${task.bookTitle ?? task.fileName}</a><br><code class="small muted">${task.id}</code>`,
        tag(task.status),
        moment(task.createdAt),
      ]),
      'No task belongs to it yet.',
    )}</section>`;
    return { title: story.title, section: 'series', body };
  });
}
