import { strict as assert } from 'node:assert';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { create } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startWorkerProcess, toledo, toledoProcess } from '../support/toledo-process.ts';

const database = await createTestDatabase();
const dataDir = await mkdtemp(join(tmpdir(), 'toledo-cli-'));
/** A provider that knows neither the key nor the model, and repeats the key in its answer. */
const provider = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ error: { message: `Incorrect API key provided: ${request.headers.authorization}` } }),
    );
  });
});
await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
const { port } = provider.address() as AddressInfo;
after(async () => {
  provider.close();
  await rm(dataDir, { recursive: true, force: true });
});

const env = { TOLEDO_DATA_DIR: dataDir, TOLEDO_DATABASE_URL: database.url };
const wrongKey = {
  ...env,
  TOLEDO_ENGINE: 'openai-compatible',
  TOLEDO_ENGINE_BASE_URL: `http://127.0.0.1:${port}/v1`,
  TOLEDO_ENGINE_API_KEY: 'key-that-nobody-may-see',
  TOLEDO_ENGINE_MODEL: 'unknown-model',
};

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  assert.deepEqual(await toledo(['--version'], env), { code: 0, stdout: `${version}\n`, stderr: '' });
});

test('doctor names the engines and ends with 0; a wrong setting is shown as WRONG and ends with 1', async () => {
  const [fine, wrong] = await Promise.all([
    toledo(['doctor'], { ...env, TOLEDO_ENGINE: 'built-in' }),
    toledo(['doctor', '--json'], { ...env, TOLEDO_PORT: 'x' }),
  ]);
  assert.equal(fine.code, 0, fine.stdout + fine.stderr);
  assert.match(fine.stdout, /engines +ok +built-in: drafts from .*French.* into English/);
  assert.equal(wrong.code, 1);
  const { ok, findings } = JSON.parse(wrong.stdout);
  assert.equal(ok, false);
  assert.match(findings.find(({ check }: { check: string }) => check === 'settings').finding, /TOLEDO_PORT/);
});

test('doctor --engines calls each engine, repeats what the provider says without the key, and ends with 1', async () => {
  const [silent, called] = await Promise.all([toledo(['doctor'], wrongKey), toledo(['doctor', '--engines'], wrongKey)]);
  assert.equal(silent.code, 0);
  assert.equal(called.code, 1);
  assert.match(
    called.stdout,
    /engine openai-compatible +WRONG .*401.*Incorrect API key.*\(asked at http:\/\/127\.0\.0\.1:\d+\/v1\)/,
  );
  assert.ok(!called.stdout.includes('key-that-nobody-may-see'));
});

test('half of the engine settings is refused, and so is a setting the engine has no use for', async () => {
  const half = { ...env, TOLEDO_ENGINE: '', TOLEDO_ENGINE_MODEL: 'gpt-4o', TOLEDO_PORT: '0' };
  const [checked, started, useless] = await Promise.all([
    toledo(['doctor'], half),
    toledoProcess(['serve'], half),
    toledoProcess(['serve'], { ...env, TOLEDO_ENGINE: 'built-in', TOLEDO_ENGINE_MODEL: 'gpt-4o', TOLEDO_PORT: '0' }),
  ]);
  assert.equal(checked.code, 1);
  assert.match(checked.stdout, /TOLEDO_ENGINE_MODEL/);
  for (const { code, stderr } of [started, useless]) {
    assert.equal(code, 1);
    assert.match(stderr, /TOLEDO_ENGINE_MODEL is set/);
  }
  const missing = await toledo(['doctor'], { ...env, TOLEDO_ENGINE: 'openai' });
  assert.match(
    missing.stdout,
    /TOLEDO_ENGINE=openai: TOLEDO_ENGINE_MODEL is missing.*TOLEDO_ENGINE_API_KEY is missing/,
  );
  const unknown = await toledo(['doctor'], { ...env, TOLEDO_ENGINE: 'nonsense' });
  assert.match(unknown.stdout, /TOLEDO_ENGINE=nonsense: it must be one of built-in, /);
  for (const { stdout } of [missing, unknown]) assert.doesNotMatch(stdout, /engines\.0/);
});

test('settings are read from .env of the working directory, after those of the environment', async () => {
  const folder = join(dataDir, 'with-env');
  await mkdir(folder);
  await writeFile(join(folder, '.env'), 'TOLEDO_PORT=x\nTOLEDO_LOG_LEVEL=y\n');
  const { code, stderr } = await toledoProcess(['account', 'list'], { ...env, TOLEDO_LOG_LEVEL: 'info' }, folder);
  assert.equal(code, 1);
  assert.match(stderr, /TOLEDO_PORT/);
  assert.doesNotMatch(stderr, /TOLEDO_LOG_LEVEL/);
});

test('a database that is not there and a port that is taken are told in a sentence that says what to do', async () => {
  const [noDatabase, taken] = await Promise.all([
    toledo(['account', 'list'], { ...env, TOLEDO_DATABASE_URL: 'postgres://127.0.0.1:1/x' }),
    toledoProcess(['serve'], { ...env, TOLEDO_PORT: String(port), TOLEDO_LOG_LEVEL: 'fatal' }),
  ]);
  assert.equal(noDatabase.code, 1);
  assert.match(noDatabase.stderr, /nothing answers at 127\.0\.0\.1:1\. .*TOLEDO_DATABASE_URL/);
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, new RegExp(`port ${port} of 127\\.0\\.0\\.1 is in use.*TOLEDO_PORT`));
});

test('a wrong key is a warning when its worker starts; log and "task show" name engine, status and words of the provider', async () => {
  const { TOLEDO_ENGINE_API_KEY: _, ...withoutKey } = wrongKey;
  // As in a deployment: only the worker has the key.
  const [api, worker] = await Promise.all([
    startTestApp({ env: withoutKey, role: 'api', beside: { databaseUrl: database.url, dataDir } }),
    startWorkerProcess(wrongKey),
  ]);
  try {
    const { key } = await api.account({ credits: 5_000 });
    const text = 'Il avait plu toute la nuit, et la rivière montait jusqu’aux marches.';
    const created = await create(api, key, { action: 'translation', text, source_lang: 'fr', target_lang: 'en' });
    assert.equal(created.status, 201);
    const { task_id } = created.body.data;
    const logged = (line: RegExp) => worker.stderr().split('\n').find((each) => line.test(each)); // biome-ignore format: one line
    while (!logged(/the task waits|task failed/)) await delay(50);
    const said = /openai-compatible.*401.*Incorrect API key/;
    assert.match(logged(/an engine does not answer/) ?? '', said, 'the warning at the start');
    assert.match(logged(/the task waits|task failed/) ?? '', said);
    const { stdout } = await toledo(['task', 'show', task_id], env);
    assert.match(stdout, /^Engine said +.*openai-compatible.*401.*Incorrect API key/m);
    assert.ok(!(worker.stderr() + stdout).includes('key-that-nobody-may-see'));
  } finally {
    worker.child.kill('SIGTERM');
    await worker.exited;
  }
});
