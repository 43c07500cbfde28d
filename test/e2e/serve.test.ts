import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServe, toledo } from '../support/toledo-process.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'toledo-serve-'));
after(() => rm(dataDir, { recursive: true, force: true }));
const env = { TOLEDO_DATA_DIR: dataDir, TOLEDO_PORT: '0' };
let key = '';

const usageStatus = async (rootUrl: string) =>
  (await fetch(`${rootUrl}/api/v1/usage`, { headers: { authorization: `Bearer ${key}` } })).status;

test('where others can connect, the first start makes the example of the front page and no account with a key in a log', async () => {
  const server = await startServe({ ...env, TOLEDO_HOST: '0.0.0.0', TOLEDO_TRY: 'on' });
  assert.ok(!server.stdout().includes('tol_live_'), server.stdout());
  assert.match(server.stdout(), /account create/);
  while (!(await (await fetch(server.rootUrl)).text()).includes('id="example"')) await sleep(100);
  server.child.kill('SIGKILL');
  await server.exited;
});

test('on a loopback address the first start prints a curl that works when pasted; SIGTERM ends it with 0', async () => {
  const server = await startServe(env);
  const curl = /^ {2}(curl .*)$/m.exec(server.stdout())?.[1] ?? '';
  key = /Bearer (tol_live_\w{38})/.exec(curl)?.[1] ?? '';
  const usage = JSON.parse(execFileSync('sh', ['-c', curl], { encoding: 'utf8' }));
  assert.equal(usage.data.balance_credits, 1_000_000);
  assert.equal(usage.data.api_key_prefix, key.slice(0, 13));
  const testKey = /Test key +(tol_test_\w{38}) /.exec(server.stdout())?.[1] ?? '';
  const asked = await fetch(`${server.rootUrl}/api/v1/usage`, { headers: { authorization: `Bearer ${testKey}` } });
  assert.equal(asked.status, 200, 'the test key works');
  for (const secret of [key, testKey]) assert.ok(!server.stderr().includes(secret), 'a key is in the log');
  server.child.kill('SIGTERM');
  assert.deepEqual(await server.exited, { code: 0, signal: null });
});

test('the next start takes the same key, names its engine and warns that it does not answer; operator commands work beside it, Ctrl-C ends it with 0', async () => {
  const engine = { TOLEDO_ENGINE: 'openai-compatible', TOLEDO_ENGINE_MODEL: 'm', TOLEDO_ENGINE_BASE_URL: 'http://127.0.0.1:1/v1' }; // biome-ignore format: one line
  const server = await startServe({ ...env, ...engine });
  assert.ok(!server.stdout().includes('tol_live_'), 'no second demo key');
  assert.match(server.stdout(), /Engine +openai-compatible: every language pair/);
  assert.equal(await usageStatus(server.rootUrl), 200);
  const listed = await toledo(['account', 'list', '--json'], env);
  assert.deepEqual(
    JSON.parse(listed.stdout).map(({ name }: { name: string }) => name),
    ['front page', 'demo'],
  );
  assert.equal(await usageStatus(server.rootUrl), 200);
  while (!/"engine":"openai-compatible".*an engine does not answer/.test(server.stderr())) await sleep(50);
  server.child.kill('SIGINT');
  assert.equal((await server.exited).code, 0);
});

test('operator commands work without a running server and leave none behind', async () => {
  const listed = await toledo(['key', 'list', '--json'], env);
  assert.equal(listed.code, 0, listed.stderr);
  const prefixes = JSON.parse(listed.stdout).map((each: { api_key_prefix: string }) => each.api_key_prefix);
  assert.ok(prefixes.includes(key.slice(0, 13)), listed.stdout);
  const doctor = await toledo(['doctor', '--json'], env);
  assert.equal(JSON.parse(doctor.stdout).ok, true, doctor.stdout);
  assert.throws(() => execFileSync('pgrep', ['-f', `postgres.*${dataDir}`]));
});
