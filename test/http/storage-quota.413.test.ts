import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { create, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ env: { TOLEDO_STORAGE_QUOTA_BYTES: '10000' } });
const text = 'The lamp on the quay was out, and nobody had lit it since Monday. '.repeat(30);

test('what an account keeps in storage has a quota, free actions included; others are not concerned', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const other = await app.account({ credits: 100_000 });
  const fields = { action: 'token_estimate', text };
  await run(app, key, fields);
  const refused = await create(app, key, { ...fields, text: `${text} Again. `.repeat(5) });
  assert.equal(refused.status, 413, refused.text);
  assert.equal(refused.body.error.code, 'STORAGE_QUOTA');
  assert.equal(refused.body.error.details.quota_bytes, 10_000);
  assert.equal((await create(app, other.key, fields)).status, 201);
});

test('lists leave large results out, and the task itself shows them', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const chapters = Array.from({ length: 150 }, (_, i) => `Chapter ${i + 1}\n\nA lamp.\n\n`).join('');
  const task = await run(app, key, { action: 'preview_metadata', text: chapters });
  assert.ok(JSON.stringify(task.metadata).length > 4_096, JSON.stringify(task.metadata));
  const { body } = await app.call('GET', '/api/v1/tasks', { key });
  assert.equal(body.data.tasks[0].task_id, task.task_id);
  assert.equal(body.data.tasks[0].metadata, undefined);
});

test('corrections count in the quota, of a task and of a series; what goes over it changes nothing', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const post = (path: string, body: object) =>
    app.call('POST', `/api/v1${path}`, {
      ...{ key, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    });
  const series = { title: 'Lamps', source_lang: 'en', target_lang: 'de' };
  const { series_id } = (await post('/series', series)).body.data;
  const sources = ['one', 'two', 'three', 'four', 'five', 'six'].map((n) => `The lamp number ${n} was out.`);
  const fields = { action: 'translation', series_id, text: sources.join('\n\n'), outputs: 'translated' };
  const { task_id } = await run(app, key, fields);
  const corrections = sources.map((source) => ({ source, target: 'x'.repeat(2_000) }));
  const ways: [path: string, body: object][] = [
    [`/tasks/${task_id}/corrections`, { corrections }],
    [`/series/${series_id}/corrections`, corrections],
  ];
  for (const [path, body] of ways) {
    const refused = await post(path, body);
    assert.equal(refused.status, 413, refused.text);
    assert.equal(refused.body.error.code, 'STORAGE_QUOTA');
  }
  const { data } = (await app.call('GET', `/api/v1/tasks/${task_id}/corrections/b1`, { key })).body;
  assert.deepEqual([data.corrected, data.earlier], [false, []]);
  const few = await post(`/series/${series_id}/corrections`, [{ source: sources[0], target: 'Die Lampe war aus.' }]);
  assert.equal(few.body.data.taken, 1);
});

test('a file that is made on demand counts in the quota, and over it leaves nothing behind', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const fields = { action: 'translation', source_lang: 'en', target_lang: 'de', outputs: 'translated' };
  const { task_id } = await run(app, key, { ...fields, text: text.repeat(2).slice(0, 1_900) });
  const ask = (fileId: string) => app.call('GET', `/api/v1/tasks/${task_id}/download?file_id=${fileId}`, { key });
  assert.equal((await ask('xliff')).status, 200);
  const refused = await ask('tmx');
  assert.equal(refused.status, 413, refused.text);
  assert.equal(refused.body.error.code, 'STORAGE_QUOTA');
  const { body } = await app.call('GET', `/api/v1/tasks/${task_id}`, { key });
  assert.deepEqual(
    body.data.download_files.map((each: { file_id: string }) => each.file_id),
    ['translated', 'xliff'],
  );
});
