import { strict as assert } from 'node:assert';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestDatabase } from '../support/test-database.ts';
import { startServe, toledo } from '../support/toledo-process.ts';

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
  await database.drop();
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
  const fine = await toledo(['doctor'], { ...env, TOLEDO_ENGINE: 'built-in' });
  assert.equal(fine.code, 0, fine.stdout + fine.stderr);
  assert.match(fine.stdout, /engines +ok +built-in: drafts from .*French.* into English/);
  const wrong = await toledo(['doctor', '--json'], { ...env, TOLEDO_PORT: 'x' });
  assert.equal(wrong.code, 1);
  const { ok, findings } = JSON.parse(wrong.stdout);
  assert.equal(ok, false);
  assert.match(findings.find(({ check }: { check: string }) => check === 'settings').finding, /TOLEDO_PORT/);
});

test('doctor --engines calls each engine, repeats what the provider says without the key, and ends with 1', async () => {
  assert.equal((await toledo(['doctor'], wrongKey)).code, 0);
  const { code, stdout } = await toledo(['doctor', '--engines'], wrongKey);
  assert.equal(code, 1);
  assert.match(stdout, /engine openai-compatible +WRONG .*401.*Incorrect API key/);
  assert.ok(!stdout.includes('key-that-nobody-may-see'));
});

test('half of the engine settings is refused, and so is a setting the engine has no use for', async () => {
  const half = await toledo(['doctor'], { ...env, TOLEDO_ENGINE: '', TOLEDO_ENGINE_MODEL: 'gpt-4o' });
  assert.equal(half.code, 1);
  assert.match(half.stdout, /TOLEDO_ENGINE_MODEL/);
  const start = await toledo(['serve'], { ...env, TOLEDO_ENGINE: '', TOLEDO_ENGINE_MODEL: 'gpt-4o', TOLEDO_PORT: '0' });
  assert.equal(start.code, 1);
  assert.match(start.stderr, /TOLEDO_ENGINE/);
});

test('settings are read from .env of the working directory, after those of the environment', async () => {
  const folder = join(dataDir, 'with-env');
  await mkdir(folder);
  await writeFile(join(folder, '.env'), 'TOLEDO_PORT=x\nTOLEDO_LOG_LEVEL=y\n');
  const { code, stderr } = await toledo(['account', 'list'], { ...env, TOLEDO_LOG_LEVEL: 'info' }, folder);
  assert.equal(code, 1);
  assert.match(stderr, /TOLEDO_PORT/);
  assert.doesNotMatch(stderr, /TOLEDO_LOG_LEVEL/);
});

test('a database that is not there and a port that is taken are told in a sentence that says what to do', async () => {
  const noDatabase = await toledo(['account', 'list'], { ...env, TOLEDO_DATABASE_URL: 'postgres://127.0.0.1:1/x' });
  assert.equal(noDatabase.code, 1);
  assert.match(noDatabase.stderr, /nothing answers at 127\.0\.0\.1:1\. .*TOLEDO_DATABASE_URL/);
  const taken = await toledo(['serve'], { ...env, TOLEDO_PORT: String(port), TOLEDO_LOG_LEVEL: 'fatal' });
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, new RegExp(`port ${port} of 127\\.0\\.0\\.1 is in use.*TOLEDO_PORT`));
});

test('a wrong key is a warning at the start, and "task show" tells what the engine said of a waiting task', async () => {
  const service = await startServe({ ...wrongKey, TOLEDO_PORT: '0', TOLEDO_LOG_LEVEL: 'warn' });
  try {
    const made = await toledo(['account', 'create', 'Reader', '--credits', '5000', '--json'], env);
    const { api_key } = JSON.parse(made.stdout);
    const response = await fetch(`${service.rootUrl}/api/v1/tasks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        action: 'translation',
        text: 'Il avait plu toute la nuit, et la rivière montait jusqu’aux marches.',
        source_lang: 'fr',
        target_lang: 'en',
        estimated_chars: 100,
      }),
    });
    assert.equal(response.status, 201);
    const { task_id } = ((await response.json()) as { data: { task_id: string } }).data;
    const shown = async () => JSON.parse((await toledo(['task', 'show', task_id, '--json'], env)).stdout);
    let task = await shown();
    for (; task.engine_fault === null && task.status === 'pending'; task = await shown()) await delay(200);
    assert.match(task.engine_fault, /openai-compatible.*401.*Incorrect API key/);
    assert.ok(!task.engine_fault.includes('key-that-nobody-may-see'));
    assert.match(service.stderr(), /an engine does not answer/);
    assert.ok(!service.stderr().includes('key-that-nobody-may-see'));
  } finally {
    service.child.kill('SIGTERM');
    await service.exited;
  }
});
