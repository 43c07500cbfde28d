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

test('the first start prints a curl that works when pasted; SIGTERM ends it with 0', async () => {
  const server = await startServe(env);
  const curl = /^ {2}(curl .*)$/m.exec(server.stdout())?.[1] ?? '';
  key = /Bearer (tol_live_\w{38})/.exec(curl)?.[1] ?? '';
  const usage = JSON.parse(execFileSync('sh', ['-c', curl], { encoding: 'utf8' }));
  assert.equal(usage.data.balance_credits, 1_000_000);
  assert.equal(usage.data.api_key_prefix, key.slice(0, 13));
  assert.ok(!server.stderr().includes(key), 'the key is in the log');
  server.child.kill('SIGTERM');
  assert.deepEqual(await server.exited, { code: 0, signal: null });
});

test('the next start takes the same key, and operator commands work beside it', async () => {
  const server = await startServe(env);
  assert.ok(!server.stdout().includes('tol_live_'), 'no second demo key');
  assert.equal(await usageStatus(server.rootUrl), 200);
  const listed = await toledo(['account', 'list', '--json'], env);
  assert.equal(JSON.parse(listed.stdout)[0].name, 'demo');
  assert.equal(await usageStatus(server.rootUrl), 200);
  server.child.kill('SIGINT');
  assert.equal((await server.exited).code, 0);
});

test('after kill -9 of the process the next start works within 10 s', async () => {
  const server = await startServe(env);
  server.child.kill('SIGKILL');
  await server.exited;
  const started = performance.now();
  const next = await startServe(env);
  assert.equal(await usageStatus(next.rootUrl), 200);
  assert.ok(performance.now() - started < 10_000);
  next.child.kill('SIGTERM');
  assert.equal((await next.exited).code, 0);
});

test('after kill -9 of the database under it the service is ready again within 10 s', async () => {
  const server = await startServe(env);
  const postmaster = Number(
    execFileSync(
      'sh',
      [
        '-c',
        `head -1 ${dataDir}/postgres/data/postmaster.pid 2>/dev/null || head -1 $(find ${dataDir} -name postmaster.pid)`,
      ],
      { encoding: 'utf8' },
    ),
  );
  process.kill(postmaster, 'SIGKILL');
  const started = performance.now();
  let status = 0;
  while (performance.now() - started < 10_000 && status !== 200) {
    await sleep(100);
    status = (await fetch(`${server.rootUrl}/readyz`)).status;
    assert.ok(status === 200 || status === 503, `readyz answered ${status}`);
  }
  assert.equal(await usageStatus(server.rootUrl), 200);
  server.child.kill('SIGTERM');
  assert.equal((await server.exited).code, 0);
});

test('operator commands work without a running server and leave none behind', async () => {
  const listed = await toledo(['key', 'list', '--json'], env);
  assert.equal(listed.code, 0, listed.stderr);
  assert.equal(JSON.parse(listed.stdout)[0].api_key_prefix, key.slice(0, 13));
  const doctor = await toledo(['doctor', '--json'], env);
  assert.equal(JSON.parse(doctor.stdout).ok, true, doctor.stdout);
  assert.throws(() => execFileSync('pgrep', ['-f', `postgres.*${dataDir}`]));
});
