import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTestDatabase } from '../support/test-database.ts';
import { startServe, toledo } from '../support/toledo-process.ts';

const database = await createTestDatabase();
const dataDir = await mkdtemp(join(tmpdir(), 'toledo-stop-'));
after(async () => {
  await database.drop();
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

test('a migration that cannot run stops the start with a non-zero exit and one sentence', async () => {
  const { code, stderr } = await toledo(['serve'], {
    ...env,
    TOLEDO_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
  });
  assert.equal(code, 1);
  assert.match(stderr, /toledo: /);
});

test('another secret than the one the database was set up with stops the start', async () => {
  const { code, stderr } = await toledo(['serve'], { ...env, TOLEDO_SECRET: 'x'.repeat(40) });
  assert.equal(code, 1);
  assert.match(stderr, /TOLEDO_SECRET/);
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
