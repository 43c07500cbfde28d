/**
 * `toledo serve` starts again what dies or hangs, and leaves nothing behind when it ends itself. The API is killed and runs out
 * of memory, the worker and its webhooks hang for ever, the supervisor is killed. Size: kills of the API.
 */
import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { PartName } from '../../src/cli/service-part.ts';
import { findRunningEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { type Member, memberAt } from '../support/fault-cluster.ts';
import { inspectable, runInside } from '../support/inspector.ts';
import { proofRun } from '../support/proof.ts';
import { create, untilEnded } from '../support/task-client.ts';
import { type ServeProcess, startServe, toledo } from '../support/toledo-process.ts';
import { localWebhooks, startWebhookReceiver } from '../support/webhook-receiver.ts';
import { eventually } from '../support/workers.ts';

const { size } = proofRun({ short: 1, long: 8 });
const dataDir = await mkdtemp(join(tmpdir(), 'toledo-supervision-'));
const env = {
  ...localWebhooks,
  TOLEDO_DATA_DIR: dataDir,
  TOLEDO_PORT: '0',
  NODE_OPTIONS: `${inspectable.NODE_OPTIONS} --max-old-space-size=300`,
};
let service: ServeProcess;
let member: Pick<Member, 'call'>;
let key = '';
const start = async (watchdogSeconds: string) => {
  service = await startServe({ ...env, TOLEDO_WATCHDOG_SECONDS: watchdogSeconds });
  member = memberAt(service.rootUrl);
};
after(async () => {
  service.child.kill('SIGKILL');
  await service.exited;
  await rm(dataDir, { recursive: true, force: true });
});

/** Every ready process of this role so far, the running one last. */
const readyOf = (role: PartName) =>
  [...service.stderr().matchAll(new RegExp(`"pid":(\\d+),"role":"${role}".*"msg":"ready"`, 'g'))].map(([, pid]) =>
    Number(pid),
  );
const runningPid = async (role: PartName) => {
  await eventually(async () => readyOf(role).length > 0, `a ready ${role}`);
  return readyOf(role).at(-1) as number;
};
const untilReplaced = (role: PartName, pid: number) =>
  eventually(async () => readyOf(role).at(-1) !== pid, `another ${role}`);
const logged = (pattern: RegExp) => eventually(async () => pattern.test(service.stderr()), `the log line ${pattern}`);

/** While a process starts again there is no answer for a moment. */
async function estimate(): Promise<string> {
  let taskId = '';
  const order = { action: 'token_estimate', text: 'The lamp is lit.' };
  await eventually(async () => {
    const answer = await create(member, key, order).catch(() => undefined);
    taskId = answer?.body.data?.task_id ?? '';
    return taskId !== '';
  }, 'an accepted task');
  return taskId;
}
const databasePid = async () => (await findRunningEmbeddedPostgres(dataDir))?.pid;

test(`kill -9 of the API, ${size} times: it is back at its port by itself; the database and the worker have not noticed`, async () => {
  // No watchdog here: a machine with much other work could be what keeps a process from its own.
  await start('0');
  const created = await toledo(['account', 'create', 'partner', '--rate-limit', '100000', '--json'], env);
  key = JSON.parse(created.stdout).api_key;
  const [worker, database] = [await runningPid('worker'), await databasePid()];
  for (let kill = 0; kill < size; kill++) {
    const api = await runningPid('api');
    process.kill(api, 'SIGKILL');
    await untilReplaced('api', api);
    await logged(
      new RegExp(`"ended":${api},"code":null,"signal":"SIGKILL".*"msg":"the api process ended; starting it again"`),
    );
    assert.equal((await untilEnded(member, key, await estimate())).status, 'completed');
  }
  assert.equal(await runningPid('worker'), worker);
  assert.equal(await databasePid(), database);
});

test('an API that runs out of memory is back by itself', async () => {
  const api = await runningPid('api');
  await runInside(service, api, 'const held = []; for (;;) held.push(new Array(1e6).fill(held.length));');
  await untilReplaced('api', api);
  await logged(new RegExp(`"ended":${api}.*its heap was full`));
  assert.equal((await untilEnded(member, key, await estimate())).status, 'completed');
});

test('SIGTERM after all of that ends everything with 0', async () => {
  service.child.kill('SIGTERM');
  assert.deepEqual(await service.exited, { code: 0, signal: null });
  assert.deepEqual(processesOf(dataDir), []);
});

test('a worker whose event loop hangs says so and ends itself; the service starts it again, and the waiting task completes', async () => {
  await start('5');
  const worker = await runningPid('worker');
  await runInside(service, worker, 'for (;;);');
  const taskId = await estimate();
  await logged(new RegExp(`"level":60.*"pid":${worker},"loop":"event loop","seconds":5`));
  await untilReplaced('worker', worker);
  assert.equal((await untilEnded(member, key, taskId)).status, 'completed');
});

test('webhooks that hang hold up no task; the worker says so, ends itself, and they are sent by the next', async () => {
  const receiver = await startWebhookReceiver();
  const order = { url: receiver.url, events: ['task.completed'] };
  const headers = { 'content-type': 'application/json' };
  const made = await member.call('POST', '/api/v1/webhooks', { key, headers, body: JSON.stringify(order) });
  assert.equal(made.status, 201, made.text);
  const worker = await runningPid('worker');
  await runInside(service, worker, 'for (;;);', 'deliveries-main');
  const taskId = await estimate();
  assert.equal((await untilEnded(member, key, taskId)).status, 'completed');
  await logged(new RegExp(`"level":60.*"pid":${worker},"loop":"webhooks","seconds":5`));
  const [received] = await receiver.until(1);
  assert.equal(received?.event.data.task_id, taskId);
});

test('kill -9 of the supervisor leaves no process behind', async () => {
  service.child.kill('SIGKILL');
  await service.exited;
  await eventually(async () => processesOf(dataDir).length === 0, 'the end of every process');
  await start('0');
  assert.equal((await untilEnded(member, key, await estimate())).status, 'completed');
});

/** Node processes are recognised by their environment, PostgreSQL by its arguments. */
function processesOf(folder: string): string[] {
  const all = execFileSync('ps', ['-eo', 'pid,args', 'e', '-ww'], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return all.split('\n').filter((line) => line.includes(folder) && !line.includes('run-tests'));
}
