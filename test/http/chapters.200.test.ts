import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { placesOf } from '../support/stored.ts';
import { assertError, create, poll, run, until, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { story } from '../support/texts.ts';

const app = await startTestApp();

const book = (chapters: number, characters: number) =>
  Array.from({ length: chapters }, (_, i) => `Chapter ${i + 1}\n\n${story(characters, 40 + i)}`).join('\n\n\n');
const chapters = async (key: string, taskId: string, index?: number) => {
  const answer = await app.call('GET', `/api/v1/tasks/${taskId}/chapters${index === undefined ? '' : `/${index}`}`, {
    key,
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
};
const readyEvents = async (key: string) =>
  (await app.call('GET', '/api/v1/events?types=task.chapter_ready&limit=100', { key })).body.data.events;

test('chapters of a finished book are the book: every paragraph once, with source, translation and title', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const text = book(3, 1_500);
  const task = await run(app, key, { action: 'translation', source_lang: 'en', target_lang: 'de', text });
  assert.equal(task.status, 'completed');
  const list = (await chapters(key, task.task_id)).chapters;
  assert.deepEqual(
    list.map(({ index, title, status, final }: Record<string, unknown>) => [index, title, status, final]),
    [1, 2, 3].map((n) => [n, `Chapter ${n}`, 'ready', true]),
  );
  const { body } = await app.call('GET', `/api/v1/tasks/${task.task_id}/download`, { key });
  const written = await (await fetch(body.data.download_url)).text();
  for (const { index, translated_title } of list) {
    const { blocks } = await chapters(key, task.task_id, index);
    assert.equal(blocks[0].kind, 'heading');
    assert.equal(blocks[0].translation, translated_title);
    for (const block of blocks) {
      assert.ok(text.includes(block.source), block.source);
      assert.ok(written.includes(block.translation), block.translation);
      assert.notEqual(block.translation, null);
    }
  }
  assert.deepEqual(
    (await readyEvents(key))
      .map(({ data }: { data: { task_id: string; chapter: number } }) => [data.task_id, data.chapter])
      .sort(),
    [1, 2, 3].map((n) => [task.task_id, n]),
  );
  assert.deepEqual(
    (await app.call('GET', '/api/v1/events', { key })).body.data.events.length,
    1,
    'not in the usual feed',
  );
  assertError(await app.call('GET', `/api/v1/tasks/${task.task_id}/chapters/4`, { key }), 404, 'NOT_FOUND');
  assertError(await app.call('GET', `/api/v1/tasks/${task.task_id}/chapters/0`, { key }), 400, 'BAD_REQUEST');
  const other = await app.account();
  assertError(await app.call('GET', `/api/v1/tasks/${task.task_id}/chapters`, { key: other.key }), 404, 'NOT_FOUND');
  await app.call('DELETE', `/api/v1/tasks/${task.task_id}`, { key });
  assertError(await app.call('GET', `/api/v1/tasks/${task.task_id}/chapters`, { key }), 410, 'OUTPUT_EXPIRED');
  const { rows } = await app.application.database.pool.query(
    'select count(*)::int as n from task_chapters where task_id = $1',
    [task.task_id],
  );
  assert.equal(rows[0].n, 0);
});

test('a running book is read from the front; cancelled, it delivers what was charged', async () => {
  const { key } = await app.account({ credits: 400_000 });
  // More parts than the engine has slots, so that the first chapter is ready before the last is begun.
  const text = book(40, 6_000);
  const created = await create(app, key, { action: 'translation', source_lang: 'en', target_lang: 'de-x-slow', text });
  const taskId = created.body.data.task_id;
  await until(app, key, taskId, (task) => task.stage === 'translating' && task.progress > 0.05);
  for (let ready = 0; ready === 0; ) {
    const list = (await chapters(key, taskId)).chapters;
    ready = list.filter(({ status }: { status: string }) => status === 'ready').length;
    assert.ok(
      list.every(({ final }: { final: boolean }) => !final) ||
        (await poll(app, key, taskId)).body.data.status !== 'pending',
    );
    await sleep(200);
  }
  const cancelled = await app.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key });
  assert.equal(cancelled.status, 200, cancelled.text);
  const charged = cancelled.body.data.credits_charged;
  assert.ok(charged > 0 && charged < cancelled.body.data.char_count, `${charged}`);
  const first = await chapters(key, taskId, 1);
  assert.deepEqual([first.status, first.final], ['ready', true]);
  const delivered = await until(app, key, taskId, (task) => task.download_files !== undefined);
  assert.deepEqual(
    delivered.download_files.map(({ file_id }: { file_id: string }) => file_id),
    ['translated', 'bilingual', 'glossary', 'report'],
  );
  const { coverage } = delivered;
  assert.equal(coverage.translated, charged);
  assert.ok(coverage.untranslated > 0);
  assert.equal(coverage.total, coverage.translated + coverage.kept + coverage.failed + coverage.untranslated);
  assert.deepEqual(
    delivered.warnings.map(({ code }: { code: string }) => code).filter((code: string) => code === 'CANCELLED'),
    ['CANCELLED'],
  );
  const link = (await app.call('GET', `/api/v1/tasks/${taskId}/download`, { key })).body.data;
  const written = await (await fetch(link.download_url)).text();
  for (const block of first.blocks)
    assert.ok(written.includes(block.translation), 'finished paragraphs are translated');
  const list = (await chapters(key, taskId)).chapters;
  let left = 0;
  for (const { index, status } of list) {
    if (status === 'ready') continue;
    for (const block of (await chapters(key, taskId, index)).blocks) {
      if (block.translation !== null) continue;
      left += [...block.source].length;
      assert.ok(written.includes(block.source), 'the rest is in the source language');
    }
  }
  assert.equal(left, coverage.untranslated);
  assert.equal((await poll(app, key, taskId)).body.data.credits_charged, charged);
});

test('nothing finished: nothing charged and nothing to download', async () => {
  const idle = await startTestApp({ role: 'api' });
  const { key } = await idle.account({ credits: 1_000 });
  const created = await create(idle, key, { action: 'translation', target_lang: 'de', text: 'Not begun.' });
  const path = `/api/v1/tasks/${created.body.data.task_id}`;
  assert.deepEqual((await idle.call('GET', `${path}/chapters`, { key })).body.data, { chapters: [] });
  assert.equal((await idle.call('POST', `${path}/cancel`, { key })).body.data.credits_charged, 0);
  assertError(await idle.call('GET', `${path}/download`, { key }), 409, 'TASK_NOT_DOWNLOADABLE');
});

test('a task deleted while it runs delivers nothing and leaves no text', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const text = `Zanzorinq was here. ${book(2, 6_000)}`;
  const created = await create(app, key, { action: 'translation', source_lang: 'en', target_lang: 'de-x-slow', text });
  const taskId = created.body.data.task_id;
  await until(app, key, taskId, (task) => task.progress > 0.05);
  await app.call('DELETE', `/api/v1/tasks/${taskId}`, { key });
  assert.equal((await untilEnded(app, key, taskId)).download_files, undefined);
  assert.deepEqual(
    (await placesOf(app, 'Zanzorinq')).filter((place) => !place.startsWith('tmp/')),
    [],
  );
});
