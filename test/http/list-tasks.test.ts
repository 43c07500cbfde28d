import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assertError, create, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const text = 'The lamp on the quay was out.';
const list = (key: string, query = '') => app.call('GET', `/api/v1/tasks${query}`, { key });

test('pages hold every task once, newest first, whatever is created in between', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const made: string[] = [];
  const make = async () => made.unshift((await create(app, key, { action: 'token_estimate', text })).body.data.task_id);
  for (let i = 0; i < 7; i++) await make();
  const expected = [...made];
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body, status } = await list(key, `?limit=3${cursor && `&cursor=${cursor}`}`);
    assert.equal(status, 200);
    seen.push(...body.data.tasks.map((task: { task_id: string }) => task.task_id));
    cursor = body.data.next_cursor;
    await make();
  }
  assert.deepEqual(seen, expected);
});

test('tasks made in one and the same transaction are paged without loss too', async () => {
  const { id } = await app.account();
  const { id: keyId, key } = await app.newKey(id, 'test');
  await app.application.database.pool.query(
    // Ended, and before events are asked for: a pending task would be given a job sooner or later, and its source is nowhere.
    `insert into tasks (id, account_id, key_id, action, sandbox, file_name, source_lang, char_count, estimated_credits, source_sha256, lane, job_id,
       status, stage, progress, result, credits_charged, created_at, ended_at)
     select 'task_' || lpad(n::text, 26, '0'), $1, $2, 'token_estimate', true, 'x', 'auto', 1, 1, '', 'short', gen_random_uuid(),
       'completed', 'completed', 1, '{}', 0, now() - interval '29 days 1 hour', now() - interval '29 days 1 hour'
     from generate_series(1, 25) n`,
    [id, keyId],
  );
  const first = (await list(key)).body.data;
  assert.equal(first.tasks.length, 20);
  const second = (await list(key, `?cursor=${first.next_cursor}`)).body.data;
  assert.equal(second.tasks.length, 5);
  assert.equal(second.next_cursor, null);
  const ids = [...first.tasks, ...second.tasks].map((task) => task.task_id);
  assert.equal(new Set(ids).size, 25);
  assert.deepEqual(ids, [...ids].sort().reverse());
});

test('filters by status, action, external_id and series', async () => {
  const { key } = await app.account({ credits: 10_000 });
  await run(app, key, { action: 'translation', target_lang: 'de', text, metadata: { external_id: 'Ärger & co' } });
  await run(app, key, { action: 'token_estimate', text, metadata: { external_id: 'other' } });
  const count = async (query: string) => (await list(key, query)).body.data.tasks.length;
  assert.equal(await count(''), 2);
  assert.equal(await count('?action=translation'), 1);
  assert.equal(await count('?status=completed'), 2);
  assert.equal(await count('?status=pending'), 0);
  assert.equal(await count(`?external_id=${encodeURIComponent('Ärger & co')}`), 1);
  assert.equal(await count('?external_id=other&action=translation'), 0);

  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ title: 'Lamps', target_lang: 'de' });
  const made = [];
  for (let n = 0; n < 2; n++)
    made.push((await app.call('POST', '/api/v1/series', { key, headers, body })).body.data.series_id);
  const [series, empty] = made;
  const inSeries = await run(app, key, { action: 'translation', series_id: series, text });
  const { tasks } = (await list(key, `?series_id=${series}`)).body.data;
  assert.deepEqual(
    tasks.map(({ task_id }: { task_id: string }) => task_id),
    [inSeries.task_id],
  );
  assert.equal(await count(`?series_id=${series}&status=failed`), 0);
  assert.equal(await count(`?series_id=${empty}`), 0);
  const stranger = await app.account();
  assert.deepEqual((await list(stranger.key, `?series_id=${series}`)).body.data.tasks, []);
});

test('bad paging and unknown parameters are 400, never a fault of ours', async () => {
  const { key } = await app.account();
  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const id = `task_${'0'.repeat(26)}`;
  const bad = [
    'limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'limit=Infinity', 'limit=-Infinity', 'limit=1e999', 'status=done', 'action=none', 'offset=3', 'external_id=%00', 'cursor=', 'cursor=x',
    `cursor=${cursor(['2024-99-99 99:99:99+00', id])}`, `cursor=${cursor([1e300, id])}`, `cursor=${cursor([-1, id])}`,
    `cursor=${cursor([1, 'task_'])}`, `cursor=${cursor([null, id])}`, `cursor=${cursor({})}`,
  ]; // biome-ignore format: one table
  for (const query of bad) assertError(await list(key, `?${query}`), 400, 'BAD_REQUEST', {}, query);
  assert.equal((await list(key, `?cursor=${cursor([Number.MAX_SAFE_INTEGER, id])}`)).status, 200);
});
