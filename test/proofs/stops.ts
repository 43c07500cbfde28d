/**
 * A stop by signal loses nothing: requests under load are answered, a second Ctrl-C is the same stop, a worker's book goes on with
 * the next worker. One size; `rolling-stops` repeats it under load.
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { create, creditsOf, untilEnded } from '../support/task-client.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { story } from '../support/texts.ts';
import { startServe, toledo } from '../support/toledo-process.ts';
import { eventually, openWorkshop } from '../support/workers.ts';

const database = await createTestDatabase();
const dataDir = await mkdtemp(join(tmpdir(), 'toledo-stop-'));
after(async () => {
  await rm(dataDir, { recursive: true, force: true });
});
const env = { TOLEDO_DATA_DIR: dataDir, TOLEDO_PORT: '0', TOLEDO_DATABASE_URL: database.url };

test('SIGTERM under load: no reset, nothing but 200 and 503 with Retry-After, exit 0', async () => {
  const created = await toledo(['account', 'create', 'load', '--rate-limit', '100000', '--json'], env);
  const key = JSON.parse(created.stdout).api_key;
  const server = await startServe(env);
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const statuses = new Map<string, number>();
  // As a load balancer does, each client leaves after its first 503.
  const client = async () => {
    for (let outcome = ''; !outcome.startsWith('503'); ) {
      outcome = await get(`${server.rootUrl}/api/v1/usage`, key, agent);
      statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
      if (outcome !== '200') return;
    }
  };
  const clients = Array.from({ length: 16 }, client);
  while ((statuses.get('200') ?? 0) < 100) await new Promise((resolve) => setTimeout(resolve, 10));
  server.child.kill('SIGTERM');
  await Promise.all(clients);
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  agent.destroy();
  assert.deepEqual([...statuses.keys()].sort(), ['200', '503 with Retry-After'], JSON.stringify([...statuses]));
});

test('Ctrl-C that arrives twice, from the terminal and from npm, is one stop: everything closes, exit 0', async () => {
  const server = await startServe(env);
  server.child.kill('SIGINT');
  // Two signals in the same instant would be merged by the kernel: the second follows when the first was seen.
  while (!server.stderr().includes('"stopping"')) await new Promise((resolve) => setTimeout(resolve, 2));
  server.child.kill('SIGINT');
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  assert.match(server.stderr(), /"msg":"stopped"/);
});

test('SIGTERM of a worker in the middle of a book: exit 0, no fault counted, and another worker goes on where it stopped', async () => {
  const { app, startWorker, attempts } = await openWorkshop();
  const { key } = await app.account({ credits: 200_000 });
  const text = story(15_000, 41);
  // Four segments at a time, three seconds each: the book is certainly not finished when its first segments are.
  const slow = { TOLEDO_ENGINE_CONCURRENCY: '4' };
  const worker = await startWorker(slow);
  const taskId = (await create(app, key, { action: 'translation', target_lang: 'de-x-slow', text })).body.data.task_id;
  await eventually(async () => (await attempts(taskId)).progress > 0.05, 'first segments');
  worker.child.kill('SIGTERM');
  assert.deepEqual(await worker.exited, { code: 0, signal: null });
  const between = await attempts(taskId);
  assert.deepEqual([between.attempt, between.faults], [1, 0]);
  assert.ok(between.progress < 0.97, 'the book must not be finished yet');
  // Asked before there is another worker: the task waits in the queue, under a job of its own.
  const { rows: jobs } = await app.application.database.pool.query(
    'select state from tasks join pgboss.job on job.id = tasks.job_id where tasks.id = $1',
    [taskId],
  );
  assert.deepEqual(jobs, [{ state: 'created' }], 'given back');
  await startWorker(slow);
  await eventually(async () => (await attempts(taskId)).attempt === 2, 'taken again');
  const task = await untilEnded(app, key, taskId);
  assert.deepEqual([task.status, task.credits_charged], ['completed', task.char_count]);
  assert.equal((await attempts(taskId)).faults, 0);
  assert.deepEqual(await creditsOf(app, key), {
    balance: 200_000 - task.char_count,
    reserved: 0,
    used: task.char_count,
  });
});

function get(url: string, key: string, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      response.resume();
      response.on('end', () =>
        resolve(
          response.statusCode === 503 && response.headers['retry-after']
            ? '503 with Retry-After'
            : String(response.statusCode),
        ),
      );
      response.on('error', () => resolve('cut in the middle'));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
    sent.end();
  });
}
