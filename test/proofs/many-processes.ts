/**
 * Two APIs and workers that come and go on one database are one service to its partners: one task for one key, every task ends,
 * every credit is accounted for. One size.
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '../support/test-database.ts';
import { type ServeProcess, startServe, toledo } from '../support/toledo-process.ts';

const database = await createTestDatabase();
const dataDir = await mkdtemp(join(tmpdir(), 'toledo-many-'));
const env = {
  TOLEDO_DATA_DIR: dataDir,
  TOLEDO_PORT: '0',
  TOLEDO_DATABASE_URL: database.url,
  // One slot each, so that three clients keep a queue; one is also the least that can be set.
  TOLEDO_WORKER_SHORT_TASKS: '1',
  TOLEDO_WORKER_BOOKS: '1',
};
const processes: ServeProcess[] = [];
after(async () => {
  for (const { child } of processes) child.kill('SIGTERM');
  await Promise.all(processes.map(({ exited }) => exited));
  await rm(dataDir, { recursive: true, force: true });
});
const start = async (role: 'api' | 'worker') => {
  const started = await startServe(env, ['--role', role]);
  processes.push(started);
  return started;
};
const credits = 1_000_000;
const [created, here, there, leaving, staying] = await Promise.all([
  toledo(['account', 'create', 'many', '--credits', String(credits), '--rate-limit', '100000', '--json'], env),
  start('api'),
  start('api'),
  start('worker'),
  start('worker'),
]);
const key: string = JSON.parse(created.stdout).api_key;

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the shapes are held by the HTTP tests
  data: any;
}
async function call(api: ServeProcess, path: string, body?: URLSearchParams, idempotencyKey?: string): Promise<Answer> {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  const response = await fetch(`${api.rootUrl}/api/v1${path}`, body ? { method: 'POST', headers, body } : { headers });
  return { status: response.status, data: ((await response.json()) as { data: unknown }).data };
}
const fields = (text: string) =>
  new URLSearchParams({ action: 'translation', source_lang: 'en', target_lang: 'fr', text });

async function endedTasks({ rootUrl }: ServeProcess): Promise<number> {
  const text = await (await fetch(`${rootUrl}/metrics`)).text();
  return [...text.matchAll(/^toledo_tasks_ended_total\{[^}]*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
}

test('a worker of its own answers health checks and metrics, and nothing of the API', async () => {
  const status = async (path: string) => (await fetch(staying.rootUrl + path)).status;
  assert.deepEqual(
    await Promise.all(['/healthz', '/readyz', '/metrics', '/api/v1/usage'].map(status)),
    [200, 200, 200, 404],
  );
});

test('the same Idempotency-Key on two APIs at once creates one task', async () => {
  const answers = await Promise.all(
    [here, there].map((api) => call(api, '/tasks', fields('One lamp, two doors.'), 'two-doors')),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201],
  );
  assert.equal(answers[0]?.data.task_id, answers[1]?.data.task_id);
});

test('tasks created on one API end on the other while workers come and go, and every credit is accounted for', async () => {
  const tasks: { char_count: number; credits_charged: number; status: string }[] = [];
  let enough = false;
  const client = async (number: number) => {
    for (let turn = 0; !enough; turn++) {
      const [one, other] = (number + turn) % 2 === 0 ? [here, there] : [there, here];
      const made = await call(
        one,
        '/tasks',
        fields(`Ship ${number} passed lamp ${turn} at night. `.repeat(3 + number)),
      );
      assert.equal(made.status, 201);
      for (let task = made.data; ; task = (await call(other, `/tasks/${made.data.task_id}`)).data) {
        if (task.status !== 'pending') {
          tasks.push(task);
          break;
        }
        await sleep(50);
      }
    }
  };
  const clients = Promise.all(Array.from({ length: 3 }, (_, number) => client(number)));
  const until = async (holds: () => boolean | Promise<boolean>) => {
    while (!(await Promise.race([holds(), clients.then(() => false)]))) await sleep(50);
  };
  try {
    await until(() => tasks.length >= 2);
    leaving.child.kill('SIGTERM');
    const [coming, left] = await Promise.all([start('worker'), leaving.exited]);
    assert.deepEqual(left, { code: 0, signal: null });
    await until(async () => (await endedTasks(coming)) > 0);
  } finally {
    enough = true;
  }
  await clients;

  assert.deepEqual(new Set(tasks.map((task) => task.status)), new Set(['completed']));
  for (const task of tasks) assert.equal(task.credits_charged, task.char_count);
  let idempotent = (await call(here, '/tasks', fields('One lamp, two doors.'), 'two-doors')).data;
  for (; idempotent.status === 'pending'; await sleep(50))
    idempotent = (await call(there, `/tasks/${idempotent.task_id}`)).data;
  const charged = [...tasks, idempotent].reduce((sum, task) => sum + task.credits_charged, 0);
  const [usage, same] = await Promise.all([call(here, '/usage'), call(there, '/usage')]);
  assert.deepEqual(usage.data, same.data);
  assert.equal(usage.data.balance_credits, credits - charged);
  const listed = await call(there, '/tasks?status=pending');
  assert.deepEqual(listed.data.tasks, [], 'nothing is left behind');
});
