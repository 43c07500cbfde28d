import type { Series, SeriesList, SeriesTermPage, TaskList } from '../../client/src/wire-types.ts';
import { queryText } from '../http/page-form.ts';
import { html } from '../pages/html.ts';
import { languagePair } from '../pages/names.ts';
import { facts, moment, number, olderLink, pageHead, table, termTable } from '../pages/parts.ts';
import { type AccountRoutes, part } from './account-frame.ts';
import { taskTable } from './tasks-page.ts';

export function registerSeriesPages({ page }: AccountRoutes): void {
  page('/series', async (request, frame) => {
    const query = { limit: '50', cursor: queryText(request, 'before') };
    const { series, next_cursor } = await frame.api.get<SeriesList>('/series', query);
    const body = html`<h1>Series</h1><section class="card">${table(
      ['Series', 'Languages', 'Created'],
      series.map((each) => [
        html`<a class="breakable" href="/account/series/${each.series_id}">${each.title}</a><br><code class="small muted">${each.series_id}</code>`,
        languagePair(each.source_lang, each.target_lang),
        moment(each.created_at),
      ]),
      'There is no series yet.',
    )}${olderLink('/account/series', {}, next_cursor ?? undefined)}</section>`;
    return { title: 'Series', section: 'series', body };
  });

  page('/series/:id', async (request, frame) => {
    const { api } = frame;
    const at = `/series/${part(request, 'id')}`;
    const series = await api.get<Series>(at);
    const terms = await api.get<SeriesTermPage>(`${at}/terms`, { limit: '100', cursor: queryText(request, 'before') });
    const { tasks } = await api.get<TaskList>('/tasks', { series_id: series.series_id, limit: '20' });
    const { counts } = series;
    const body = html`${pageHead(series.title, { href: '/account/series', text: 'Series' }, series.series_id)}
<section class="card"><h2>Series</h2>${facts([
      ['Languages', languagePair(series.source_lang, series.target_lang)],
      ['Style', series.style ?? 'none'],
      ['Terms', counts && number(counts.terms)],
      [
        'Remembered',
        counts &&
          html`${number(counts.remembered_paragraphs)} ${counts.remembered_paragraphs === 1 ? 'paragraph' : 'paragraphs'}, ${number(counts.remembered_characters)} characters`,
      ],
      ['Created', moment(series.created_at)],
    ])}</section>
<section class="card"><h2>Names and terms</h2>${termTable(terms.terms)}${olderLink(`/account${at}`, {}, terms.next_cursor ?? undefined, 'More terms')}</section>
<section class="card"><h2>Newest tasks</h2>${taskTable(tasks, 'No task belongs to it yet.')}</section>`;
    return { title: series.title, section: 'series', body };
  });
}
