/**
 * How long somebody waits for what should be at once: a cancelled task's worker, a deleted task's text, the answer that the
 * database is away. The long run demands 3 s, 3 s and 2 s on a quiet machine. Size: rounds.
 */
import { strict as assert } from 'node:assert';
import { type TestContext, test } from 'node:test';
import { startFaultCluster } from '../support/fault-cluster.ts';
import { proofRun } from '../support/proof.ts';
import { placesOf } from '../support/stored.ts';
import { create, until } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { longStory } from '../support/texts.ts';
import { eventually } from '../support/workers.ts';

const { size: rounds, isLong } = proofRun({ short: 1, long: 10 });
const app = await startTestApp({ own: true });

async function translating(key: string, year: number): Promise<string> {
  const fields = { action: 'translation', target_lang: 'de-x-slow', text: longStory(year) };
  const { task_id } = (await create(app, key, fields)).body.data;
  await until(app, key, task_id, ({ progress }) => progress > 0.05);
  return task_id;
}

function report(context: TestContext, waitsMs: number[], limitMs: number): void {
  context.diagnostic(`${waitsMs.map(Math.round).join(', ')} ms`);
  if (isLong) assert.ok(Math.max(...waitsMs) <= limitMs, `more than ${limitMs} ms`);
}

test('a worker is free within 3 s after its task was cancelled', async (context) => {
  const waitsMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { key } = await app.account({ credits: 200_000 });
    const taskId = await translating(key, 100 + round);
    await app.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key });
    const others = `select from pgboss.job where state = 'active' and id <> (select job_id from tasks where id = $1)`;
    const { pool } = app.application.database;
    waitsMs.push(await eventually(async () => (await pool.query(others, [taskId])).rowCount === 0, 'a free worker'));
    await until(app, key, taskId, (task) => task.download_files !== undefined);
  }
  report(context, waitsMs, 3_000);
});

test('the text of a running task is gone within 3 s after it was deleted', async (context) => {
  const waitsMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { key } = await app.account({ credits: 200_000 });
    const year = 200 + round;
    const taskId = await translating(key, year);
    await app.call('DELETE', `/api/v1/tasks/${taskId}`, { key });
    const places = () => placesOf(app, `of year ${year} the lamplighter`);
    waitsMs.push(await eventually(async () => (await places()).length === 0, 'no text'));
  }
  report(context, waitsMs, 3_000);
});

test('while the database is away every one of 100 questions whether the service is ready is answered within 2 s', async (context) => {
  const cluster = await startFaultCluster({ proxyDatabase: true });
  const api = await cluster.start('api');
  const waitsMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await cluster.databaseProxy?.vanish();
    const ask = async () => {
      const started = performance.now();
      const { status } = await api.call('GET', '/readyz');
      return { status, waitedMs: performance.now() - started };
    };
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]));
    waitsMs.push(Math.max(...answers.map(({ waitedMs }) => waitedMs)));
    await cluster.databaseProxy?.appear();
    await eventually(async () => (await ask()).status === 200, 'ready again');
  }
  report(context, waitsMs, 2_000);
});
