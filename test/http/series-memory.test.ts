import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { Toledo } from '../../client/src/index.ts';
import { run, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const clientOf = (apiKey: string) => new Toledo({ apiKey, baseUrl: `${app.rootUrl}/api/v1` });
const paragraph = (n: number) =>
  `The ferry number ${n} left the harbour before dawn, and nobody on the quay could say who had ordered it to go.`;

test('a short line that stands in very many places is found by its neighbours, and nowhere else', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const toledo = clientOf(key);
  const { series_id } = await toledo.createSeries({ title: 'Yes', source_lang: 'en', target_lang: 'de' });
  const lines = Array.from({ length: 60 }, (_, n) => [paragraph(n), '“Yes.”']).flat();
  await run(app, key, { action: 'translation', series_id, text: lines.join('\n\n') });
  const again = await run(app, key, { action: 'translation', series_id, text: lines.join('\n\n') });
  assert.equal(again.credits_charged, 0);
  // One neighbour is the same in front of the line, behind it, or not at all.
  const edition = [
    paragraph(3),
    '“Yes.”',
    paragraph(90),
    '“Yes.”',
    paragraph(7),
    paragraph(91),
    '“Yes.”',
    paragraph(92),
  ];
  const task = await run(app, key, { action: 'translation', series_id, text: edition.join('\n\n') });
  const fresh = [paragraph(90), paragraph(91), '“Yes.”', paragraph(92)].reduce((sum, text) => sum + text.length, 0);
  assert.equal(task.coverage.translated, fresh);
});

test('the client has a method for every call on series', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const toledo = clientOf(key);
  const made = await toledo.createSeries({
    title: 'Ferries',
    source_lang: 'en',
    target_lang: 'de',
    metadata: { shelf: '7' },
  });
  const { series_id } = made;
  assert.deepEqual(await toledo.getSeries(series_id), {
    ...made,
    counts: { tasks: 0, terms: 0, remembered_paragraphs: 0, remembered_characters: 0 },
  });
  assert.equal((await toledo.updateSeries(series_id, { title: 'Boats', style: 'Plain.' })).style, 'Plain.');
  assert.deepEqual(await toledo.setSeriesTerms(series_id, [{ source: 'ferry', target: 'Fähre' }]), { terms: 1 });
  assert.deepEqual(await toledo.setSeriesTerms(series_id, 'source,target\nquay,Kai\n'), { terms: 1 });
  const tbx = `<tbx xml:lang="en"><text><body><conceptEntry id="c1"><langSec xml:lang="en"><termSec><term>dawn</term></termSec></langSec>
    <langSec xml:lang="de"><termSec><term>Morgen</term></termSec></langSec></conceptEntry></body></text></tbx>`;
  assert.deepEqual(await toledo.setSeriesTerms(series_id, tbx), { terms: 1 });
  await toledo.deleteSeriesTerm(series_id, 'quay');
  const page = await toledo.listSeriesTerms(series_id, { limit: 1 });
  assert.deepEqual([page.terms[0]?.source, typeof page.next_cursor], ['dawn', 'string']);
  const rest = await toledo.listSeriesTerms(series_id, { cursor: page.next_cursor as string });
  assert.deepEqual(
    rest.terms.map(({ source }) => source),
    ['ferry'],
  );
  const task = await toledo.createTask({ action: 'translation', series_id, text: paragraph(1) });
  await toledo.wait(task.task_id);
  const corrected = await toledo.correctSeries(series_id, [{ source: paragraph(1), target: 'Fähre eins.' }]);
  assert.equal(corrected.taken, 1);
  const tmx = `<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>${paragraph(1)}</seg></tuv><tuv xml:lang="de"><seg>Fähre eins.</seg></tuv></tu></body></tmx>`;
  assert.equal((await toledo.correctSeries(series_id, tmx)).unchanged, 1);
  assert.deepEqual(
    (await toledo.listSeries({ limit: 5 })).series.map((each) => each.title),
    ['Boats'],
  );
  await toledo.deleteSeries(series_id);
  assert.deepEqual((await toledo.listSeries()).series, []);
});

test('a series that is deleted under its task takes its text with it; the task ends as ordered', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const toledo = clientOf(key);
  const { series_id } = await toledo.createSeries({ title: 'Gone', source_lang: 'en', target_lang: 'de-x-slow' });
  const text = [1, 2, 3].map(paragraph).join('\n\n');
  const { task_id } = await toledo.createTask({ action: 'translation', series_id, text });
  await toledo.deleteSeries(series_id);
  const task = await untilEnded(app, key, task_id);
  assert.equal(task.status, 'completed');
  assert.equal(task.credits_charged, task.char_count);
  const { rows } = await app.application.database.pool.query(
    'select (select count(*)::int from memory_blocks b where not exists (select from memories m where m.id = b.memory_id)) as loose, (select count(*)::int from memories where series_id = $1) as left',
    [series_id],
  );
  assert.deepEqual(rows[0], { loose: 0, left: 0 });
});

test('an earlier source can be previewed from its first chapter of prose', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const front = [
    '# Copyright',
    'All rights reserved. No part of this book may be copied without leave of the press.',
    '# Chapter 1',
  ];
  const content = [...front, ...Array.from({ length: 12 }, (_, n) => paragraph(n))].join('\n\n');
  const file = { content, fileName: 'ferry.md' };
  const earlier = await run(app, key, { action: 'token_estimate', target_lang: 'de', estimated_chars: 100 }, { file });
  const order = { action: 'preview_translation', target_lang: 'de', char_limit: 300, source_task_id: earlier.task_id };
  const preview = await run(app, key, { ...order, skip_front_matter: 'true' });
  assert.equal(preview.credits_charged, 300);
  const { text } = await app.call('GET', `/api/tasks/download-file/${preview.task_id}?file_id=translated`, { key });
  assert.match(text, /All rights reserved/, 'what lies before the first chapter stays as it is');
});
