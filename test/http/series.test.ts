import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assertError, create, creditsOf, run, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();

const json = { 'content-type': 'application/json' };
const send = (key: string, method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
  app.call(method, `/api/v1${path}`, {
    key,
    ...(body === undefined ? {} : { headers: json, body: JSON.stringify(body) }),
  });
const get = (key: string, path: string) => app.call('GET', `/api/v1${path}`, { key });

async function newSeries(key: string, more: object = {}): Promise<string> {
  const { status, body, text } = await send(key, 'POST', '/series', {
    title: 'The Iron Gate',
    target_lang: 'de',
    ...more,
  });
  assert.equal(status, 201, text);
  return body.data.series_id;
}

/** Paragraphs that are long enough to be remembered wherever they stand. */
const paragraph = (n: number) =>
  `The ferry number ${n} left the harbour before dawn, and nobody on the quay could say who had ordered it to go.`;
const chapters = (...numbers: number[]) => numbers.map(paragraph).join('\n\n');

test('a new chapter is all that is translated and paid, and a book that is wholly remembered costs nothing', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const series_id = await newSeries(key);
  const first = await run(app, key, { action: 'translation', series_id, text: chapters(1, 2, 3) });
  assert.equal(first.status, 'completed');
  assert.equal(first.series_id, series_id);
  assert.equal(first.coverage.reused, 0);
  assert.equal(first.credits_charged, first.char_count);

  const second = await run(app, key, { action: 'translation', series_id, text: chapters(1, 2, 3, 4) });
  const { total, translated, reused, kept, failed } = second.coverage;
  assert.equal(total, translated + reused + kept + failed);
  assert.equal(second.credits_charged, translated + kept);
  assert.equal(translated, paragraph(4).length);

  const again = await run(app, key, { action: 'translation', series_id, source_task_id: second.task_id });
  assert.equal(again.credits_charged, 0);
  assert.equal(again.coverage.reused, again.char_count);
  const bytes = async (task: { download_files: { file_id: string; sha256: string }[] }) =>
    task.download_files.find(({ file_id }) => file_id === 'translated')?.sha256;
  assert.equal(await bytes(again), await bytes(second));
  const { counts } = (await get(key, `/series/${series_id}`)).body.data;
  assert.equal(counts.tasks, 3);
  assert.equal(counts.remembered_paragraphs, 4);
  assert.equal((await creditsOf(app, key)).reserved, 0);
});

test('a source that was removed is 410, and one of another partner is 404', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const stranger = await app.account({ credits: 10_000 });
  const task = await run(app, key, { action: 'token_estimate', text: chapters(1) });
  const order = { action: 'translation', target_lang: 'de', source_task_id: task.task_id };
  assertError(await create(app, stranger.key, order), 404, 'NOT_FOUND');
  assertError(await create(app, key, { ...order, text: 'more' }), 400, 'BAD_REQUEST', { reason: 'TWO_SOURCES' });
  const copy = await run(app, key, order);
  assert.equal(copy.char_count, task.char_count);
  await send(key, 'DELETE', `/tasks/${task.task_id}`);
  assertError(await create(app, key, order), 410, 'SOURCE_EXPIRED');
  assert.equal((await run(app, key, { ...order, source_task_id: copy.task_id })).status, 'completed');
});

test('series belong to an account and a mode, and have one language pair', async () => {
  const { id, key } = await app.account({ credits: 10_000 });
  const stranger = await app.account({ credits: 10_000 });
  const sandbox = await app.newKey(id, 'test');
  const series_id = await newSeries(key, { source_lang: 'en' });
  for (const other of [stranger.key, sandbox.key]) {
    assertError(await get(other, `/series/${series_id}`), 404, 'NOT_FOUND');
    assertError(await get(other, `/series/${series_id}/terms`), 404, 'NOT_FOUND');
    assertError(await send(other, 'PATCH', `/series/${series_id}`, { title: 'Mine' }), 404, 'NOT_FOUND');
    assertError(await send(other, 'DELETE', `/series/${series_id}`), 404, 'NOT_FOUND');
    const terms = { terms: [{ source: 'a', target: 'b' }] };
    assertError(await send(other, 'PUT', `/series/${series_id}/terms`, terms), 404, 'NOT_FOUND');
    const corrections = [{ source: 'a', target: 'b' }];
    assertError(await send(other, 'POST', `/series/${series_id}/corrections`, corrections), 404, 'NOT_FOUND');
    assertError(await create(app, other, { action: 'translation', series_id, text: 'One.' }), 404, 'NOT_FOUND');
    assert.deepEqual((await get(other, '/series')).body.data.series, []);
  }
  for (const [field, language] of [['target_lang', 'fr'] as const, ['source_lang', 'es'] as const]) {
    const answer = await create(app, key, { action: 'translation', series_id, text: chapters(1), [field]: language });
    assertError(answer, 400, 'BAD_REQUEST', { reason: 'OTHER_LANGUAGE_PAIR' });
  }
});

test('a changed term redoes the paragraphs that have it, corrections stay, and both are reported', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const series_id = await newSeries(key, { source_lang: 'en' });
  const gate = 'They reached the Iron Gate at noon and waited there until the guards had finished their long meal.';
  const text = [paragraph(1), gate, paragraph(2), `${gate} Nobody spoke.`].join('\n\n');
  const terms = (target: string) =>
    send(key, 'PUT', `/series/${series_id}/terms`, { terms: [{ source: 'Iron Gate', target }] });
  assert.equal((await terms('Eisentor')).status, 200);
  const first = await run(app, key, { action: 'translation', series_id, text });
  const corrections = [
    { source: gate, target: 'Gegen Mittag standen sie vor dem Eisentor.' },
    { source: paragraph(9), target: 'Nie gesehen.' },
    { source: paragraph(1), target: '<1>Kaputt.' },
    { source: paragraph(2), target: '' },
  ];
  const { body } = await send(key, 'POST', `/series/${series_id}/corrections`, corrections);
  assert.deepEqual(body.data, {
    taken: 1,
    unchanged: 0,
    refused: 3,
    refusals: [
      { index: 1, reason: 'UNKNOWN_SOURCE' },
      { index: 2, reason: 'DAMAGED_TAGS' },
      { index: 3, reason: 'EMPTY_TARGET' },
    ],
    conflicting: 0,
    conflicts: [],
    terms: [],
  });
  const twice = await send(key, 'POST', `/series/${series_id}/corrections`, corrections.slice(0, 1));
  assert.equal(twice.body.data.unchanged, 1);
  const corrected = await run(app, key, { action: 'translation', series_id, source_task_id: first.task_id });
  assert.equal(corrected.credits_charged, 0);

  assert.equal((await terms('Irongate')).status, 200);
  const redone = await run(app, key, { action: 'translation', series_id, source_task_id: first.task_id });
  assert.equal(redone.coverage.translated, `${gate} Nobody spoke.`.length);
  assert.ok(redone.warnings.some(({ code }: { code: string }) => code === 'TERM_DIFFERS_IN_CORRECTION'));
  const page = (await get(key, `/series/${series_id}/terms`)).body.data;
  assert.equal(page.terms[0].origin, 'supplied');
  assert.equal(
    (await send(key, 'DELETE', `/series/${series_id}/terms/${encodeURIComponent('Iron Gate')}`)).status,
    200,
  );
  assertError(await send(key, 'DELETE', `/series/${series_id}/terms/Iron`), 404, 'NOT_FOUND');
});

test('an estimate in a series says what is new, and the translation of its source holds that and costs no more, whatever the series has learned since', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const series_id = await newSeries(key, { source_lang: 'en' });
  await run(app, key, { action: 'translation', series_id, text: chapters(1, 2, 3) });
  const estimate = await run(app, key, { action: 'token_estimate', series_id, text: chapters(1, 2, 3, 4) });
  assert.equal(estimate.billable_characters + estimate.reused_characters, estimate.char_count);
  assert.ok(estimate.billable_characters >= paragraph(4).length && estimate.billable_characters < 120);
  await run(app, key, { action: 'translation', series_id, text: chapters(4) });
  const created = await create(app, key, { action: 'translation', series_id, source_task_id: estimate.task_id });
  assert.equal(created.body.data.estimated_credits, estimate.billable_characters);
  const task = await untilEnded(app, key, created.body.data.task_id);
  assert.equal(task.credits_charged, 0, 'another task has paid for it since');
});
