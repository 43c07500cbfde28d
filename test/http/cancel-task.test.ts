import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { listFiles } from '../support/stored.ts';
import { assertError, create, creditsOf, poll, run, until } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { longStory } from '../support/texts.ts';
import { eventually } from '../support/workers.ts';

const app = await startTestApp({ own: true });
const { pool } = app.application.database;
const cancel = (key: string, taskId: string) => app.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key });

test('a task that nobody has begun costs nothing when cancelled', async () => {
  const idle = await startTestApp({ role: 'api' });
  const { key } = await idle.account({ credits: 1_000 });
  const created = await create(idle, key, { action: 'translation', target_lang: 'de', text: 'x'.repeat(900) });
  assert.deepEqual(await creditsOf(idle, key), { balance: 100, reserved: 900, used: 0 });
  const { status, body } = await idle.call('POST', `/api/v1/tasks/${created.body.data.task_id}/cancel`, { key });
  assert.equal(status, 200);
  assert.deepEqual([body.data.status, body.data.stage, body.data.credits_charged], ['cancelled', 'cancelled', 0]);
  assert.deepEqual(await creditsOf(idle, key), { balance: 1_000, reserved: 0, used: 0 });
  const { rows } = await idle.application.database.pool.query(
    'select state from pgboss.job where id = (select job_id from tasks where tasks.id = $1)',
    [created.body.data.task_id],
  );
  assert.deepEqual(rows, [{ state: 'cancelled' }]);
});

test('a running task stops, and finished segments are all that is charged', async () => {
  const { key } = await app.account({ credits: 200_000 });
  const created = await create(app, key, { action: 'translation', target_lang: 'de-x-slow', text: longStory(11) });
  const taskId = created.body.data.task_id;
  await until(app, key, taskId, (task) => task.stage === 'translating');
  await until(app, key, taskId, (task) => task.progress > 0.05);
  const { status, body, text } = await cancel(key, taskId);
  assert.equal(status, 200, text);
  const { rows } = await pool.query(
    `select coalesce(sum(characters), 0)::int as n from checkpoints where task_id = $1 and kind = 'segment'`,
    [taskId],
  );
  assert.equal(body.data.credits_charged, rows[0].n);
  assert.ok(rows[0].n > 0 && rows[0].n < body.data.char_count, `${rows[0].n} of ${body.data.char_count}`);
  assert.deepEqual(await creditsOf(app, key), { balance: 200_000 - rows[0].n, reserved: 0, used: rows[0].n });
  // The worker's own slot is free again; what is under way for the task now is writing down what was finished.
  const others = `select from pgboss.job where state = 'active' and id <> (select job_id from tasks where id = $1)`;
  await eventually(async () => (await pool.query(others, [taskId])).rowCount === 0, 'a free worker');
  await until(app, key, taskId, (task) => task.download_files !== undefined);
  await eventually(
    async () => (await listFiles(app)).every((path) => !path.startsWith('tmp/')),
    'nothing of it in temporary files',
  );
  const later = await poll(app, key, taskId);
  assert.equal(later.body.data.status, 'cancelled');
  assert.equal(later.body.data.credits_charged, rows[0].n);
});

test('a task that has ended cannot be cancelled, and nothing moves', async () => {
  const { key } = await app.account({ credits: 1_000 });
  const task = await run(app, key, { action: 'translation', target_lang: 'de', text: 'The lamp was out.' });
  const before = await creditsOf(app, key);
  assertError(await cancel(key, task.task_id), 409, 'TASK_NOT_CANCELLABLE');
  assert.deepEqual(await creditsOf(app, key), before);
  assert.equal((await poll(app, key, task.task_id)).body.data.status, 'completed');
});

test('20 simultaneous cancels: one succeeds, 19 are told that it has ended', async () => {
  const { key } = await app.account({ credits: 200_000 });
  const created = await create(app, key, { action: 'translation', target_lang: 'fr-x-slow', text: longStory(12) });
  const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(key, created.body.data.task_id)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(409)]);
  assert.equal((await creditsOf(app, key)).reserved, 0);
});
