/** Every setting changes what the running service does: here, or in the test file that is named here. */
import { strict as assert } from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { generateApiKey } from '../../src/accounts/api-key.ts';
import { loadConfig, settingNames } from '../../src/config.ts';
import { WeightGate } from '../../src/platform/weight-gate.ts';
import { sweep } from '../../src/tasks/sweeper.ts';
import { freePort } from '../support/free-port.ts';
import { create, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { toledo } from '../support/toledo-process.ts';

const app = await startTestApp();
const { key } = await app.account({ credits: 1_000_000 });
const folder = await mkdtemp(join(tmpdir(), 'toledo-settings-'));
after(() => rm(folder, { recursive: true, force: true }));

/** Another process on the same installation, with one thing changed. */
const beside = (env: Record<string, string>) => startTestApp({ beside: app, env, role: 'api' });
const order = { action: 'translation', source_lang: 'fr', target_lang: 'de', text: 'Bonjour tout le monde.' };

/** Settings whose effect another file of tests shows. */
const shownIn: Record<string, string> = {
  TOLEDO_PUBLIC_URL: 'test/http/pages.200.test.ts',
  TOLEDO_DATABASE_DIRECT_URL: 'test/platform/pooled-database.test.ts',
  TOLEDO_SECRET: 'test/e2e/shutdown.test.ts',
  TOLEDO_OPERATOR_TOKEN: 'test/http/metrics-access.test.ts',
  TOLEDO_METRICS_PORT: 'test/http/metrics-access.test.ts',
  TOLEDO_METRICS_ACCESS: 'test/http/metrics-access.test.ts',
  TOLEDO_OTLP_ENDPOINT: 'test/e2e/traces.test.ts',
  TOLEDO_STORAGE_QUOTA_BYTES: 'test/http/storage-quota.413.test.ts',
  TOLEDO_UNCHARGED_CHARACTERS_PER_DAY: 'test/credits/uncharged-work.test.ts',
  TOLEDO_MAX_FILE_BYTES: 'test/http/create-task.413.test.ts',
  TOLEDO_MAX_REQUEST_BYTES: 'test/http/create-task.413.test.ts',
  TOLEDO_MAX_TEXT_CHARACTERS: 'test/http/create-task.413.test.ts',
  TOLEDO_MAX_ARCHIVE_BYTES: 'test/http/sources.400.test.ts',
};

/** What is seen with the default, and what is seen with another value. */
const seenHere: Record<string, () => Promise<[unknown, unknown]>> = {
  async TOLEDO_HOST() {
    const other = await beside({ TOLEDO_HOST: '127.0.0.2' });
    const port = new URL(other.rootUrl).port;
    const answers = (host: string) => fetch(`http://${host}:${port}/healthz`).then(() => true, () => false); // biome-ignore format: one line
    return [await answers('127.0.0.1'), await answers('127.0.0.2')];
  },
  async TOLEDO_PORT() {
    const port = await freePort();
    return [new URL(app.rootUrl).port, new URL((await beside({ TOLEDO_PORT: String(port) })).rootUrl).port];
  },
  async TOLEDO_DATA_DIR() {
    const files = (path: string) => existsSync(join(path, 'files'));
    const before = files(folder);
    await startTestApp({ beside: { ...app, dataDir: app.dataDir }, env: { TOLEDO_DATA_DIR: folder, TOLEDO_SECRET: await secretOf(app.dataDir) }, role: 'api' }); // biome-ignore format: one line
    return [before, files(folder)];
  },
  async TOLEDO_DATABASE_URL() {
    const other = await startTestApp({ role: 'api' });
    const accounts = async (service: typeof app) => {
      const env = { TOLEDO_DATA_DIR: service.dataDir, TOLEDO_DATABASE_URL: service.databaseUrl };
      return JSON.parse((await toledo(['account', 'list', '--json'], env)).stdout).length;
    };
    return [await accounts(app), await accounts(other)];
  },
  async TOLEDO_DATABASE_POOL() {
    const connections = async (service: typeof app) => {
      await Promise.all(Array.from({ length: 12 }, () => service.call('GET', '/api/v1/tasks', { key })));
      return service.application.database.pool.totalCount > 2;
    };
    return [await connections(await beside({})), await connections(await beside({ TOLEDO_DATABASE_POOL: '2' }))];
  },
  async TOLEDO_STORAGE() {
    process.env.AWS_ACCESS_KEY_ID ??= 'nobody';
    process.env.AWS_SECRET_ACCESS_KEY ??= 'nothing';
    const away = await beside({ TOLEDO_STORAGE: `s3://books?endpoint=http://127.0.0.1:${await freePort()}&region=eu` });
    // A small text would be kept in the database.
    const large = { action: 'token_estimate', text: 'The lamp on the quay was out. '.repeat(1_000) };
    return [(await create(app, key, large)).status, (await create(away, key, large)).status];
  },
  async TOLEDO_TRUST_PROXY() {
    const lastOfMany = async (service: typeof app) => {
      let status = 0;
      for (let i = 0; i < 62; i++)
        ({ status } = await service.call('GET', '/api/v1/usage', {
          key: generateApiKey('live'),
          headers: { 'x-forwarded-for': `192.0.2.${i}` },
        }));
      return status;
    };
    return [await lastOfMany(await beside({})), await lastOfMany(await beside({ TOLEDO_TRUST_PROXY: 'true' }))];
  },
  async TOLEDO_LOG_LEVEL() {
    const lines = async (level: string) => {
      let written = 0;
      const logDestination = { write: () => void written++ };
      const service = await startTestApp({
        beside: app,
        env: { TOLEDO_LOG_LEVEL: level },
        logDestination,
        role: 'api',
      });
      await service.call('GET', '/api/v1/usage', { key });
      return written > 0;
    };
    return [await lines('error'), await lines('debug')];
  },
  async TOLEDO_ENGINES() {
    const path = join(folder, 'engines.json');
    const engine = { name: 'only-english', kind: 'openai-compatible', base_url: 'http://127.0.0.1:9', model: 'm', target_languages: ['en'] }; // biome-ignore format: one line
    await writeFile(path, JSON.stringify({ engines: [engine] }));
    const limited = await beside({ TOLEDO_ENGINE: '', TOLEDO_ENGINES: path });
    return [(await create(app, key, order)).status, (await create(limited, key, order)).status];
  },
  async TOLEDO_ENGINE() {
    const drafts = await beside({ TOLEDO_ENGINE: '' });
    return [(await create(app, key, order)).status, (await create(drafts, key, order)).status];
  },
  TOLEDO_ENGINE_BASE_URL: () => firstCalls((call) => call.path, { TOLEDO_ENGINE_BASE_URL: '/other/v1' }),
  TOLEDO_ENGINE_API_KEY: () => firstCalls((call) => call.authorization, { TOLEDO_ENGINE_API_KEY: 'another-key' }),
  TOLEDO_ENGINE_MODEL: () => firstCalls((call) => call.model, { TOLEDO_ENGINE_MODEL: 'another-model' }),
  TOLEDO_ENGINE_CONCURRENCY: async () => [await mostAtOnce('8'), await mostAtOnce('1')],
  async TOLEDO_RETENTION_DAYS() {
    const task = await run(app, key, order);
    const { db, pool } = app.application.database;
    const storage = { delete: async () => {}, list: async function* () {} } as never;
    const log = { info() {}, warn() {} } as never;
    await pool.query('alter table tasks disable trigger tasks_guard');
    await pool.query(`update tasks set ended_at = now() - interval '2 days' where id = $1`, [task.task_id]);
    await pool.query('alter table tasks enable trigger tasks_guard');
    const purged = async (days: string) => {
      const { retentionDays } = loadConfig({ TOLEDO_RETENTION_DAYS: days });
      await sweep({ db, storage, retentionDays, log });
      const { rows } = await pool.query('select purged_at is not null as purged from tasks where id = $1', [task.task_id]); // biome-ignore format: one line
      return rows[0].purged;
    };
    return [await purged('30'), await purged('1')];
  },
  TOLEDO_WORKER_SHORT_TASKS: async () => [await runTogether('8', 10), await runTogether('1', 10)],
  TOLEDO_WORKER_BOOKS: async () => [await runTogether('8', 30_000), await runTogether('1', 30_000)],
  async TOLEDO_WORKER_CHARACTERS() {
    const bothInside = async (characters: string) => {
      const gate = new WeightGate(loadConfig({ TOLEDO_WORKER_CHARACTERS: characters }).workerCharacters);
      const { promise: end, resolve } = Promise.withResolvers<void>();
      let inside = 0;
      const signal = new AbortController().signal;
      const pass = () => gate.pass(900_000, signal, async () => {
        inside++;
        await end;
      }); // biome-ignore format: one step
      const passed = [pass(), pass()];
      await setImmediate();
      const seen = inside;
      resolve();
      await Promise.all(passed);
      return seen;
    };
    return [await bothInside('40000000'), await bothInside('1000000')];
  },
  async TOLEDO_WEBHOOK_ALLOW() {
    return [await hookStatus({ TOLEDO_WEBHOOK_ALLOW_HTTP: 'true' }), await hookStatus({ TOLEDO_WEBHOOK_ALLOW_HTTP: 'true', TOLEDO_WEBHOOK_ALLOW: '127.0.0.1' })]; // biome-ignore format: one line
  },
  async TOLEDO_WEBHOOK_ALLOW_HTTP() {
    return [await hookStatus({ TOLEDO_WEBHOOK_ALLOW: '127.0.0.1' }), await hookStatus({ TOLEDO_WEBHOOK_ALLOW: '127.0.0.1', TOLEDO_WEBHOOK_ALLOW_HTTP: 'true' })]; // biome-ignore format: one line
  },
};

for (const name of settingNames) {
  test(`${name} has an effect`, async () => {
    const elsewhere = shownIn[name];
    if (elsewhere !== undefined) return assert.match(readFileSync(elsewhere, 'utf8'), new RegExp(`\\b${name}\\b`));
    const look = seenHere[name];
    assert.ok(look, `no test shows what ${name} does`);
    const [usual, changed] = await look();
    assert.notDeepEqual(changed, usual);
  });
}

async function secretOf(dataDir: string): Promise<string> {
  return readFileSync(join(dataDir, 'secret'), 'utf8').trim();
}

async function hookStatus(env: Record<string, string>): Promise<number> {
  const service = await beside(env);
  const body = JSON.stringify({ url: 'http://127.0.0.1:9999/hook', events: ['task.completed'] });
  const headers = { 'content-type': 'application/json' };
  return (await service.call('POST', '/api/v1/webhooks', { key, headers, body })).status;
}

interface EngineCall {
  path: string | undefined;
  authorization: string | undefined;
  model: unknown;
}

/** A model server that refuses everything, and what it was asked first. */
async function firstCalls(
  look: (call: EngineCall) => unknown,
  change: Record<string, string>,
): Promise<[unknown, unknown]> {
  const firstCall = async (settings: Record<string, string>): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<EngineCall>();
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { model } = JSON.parse(body || '{}') as { model?: unknown };
      resolve({ path: request.url, authorization: request.headers.authorization, model });
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
    });
    const base = await listening(server);
    const { TOLEDO_ENGINE_BASE_URL: path = '/v1', ...others } = settings;
    const env = { ...ownModel(`${base}${path}`), ...others };
    const service = await startTestApp({ env });
    const owner = await service.account({ credits: 1_000 });
    await create(service, owner.key, order);
    const seen = look(await promise);
    server.close();
    return seen;
  };
  return [await firstCall({}), await firstCall(change)];
}

/** The most calls that a model server which never answers usefully sees at once. */
async function mostAtOnce(concurrency: string): Promise<boolean> {
  let open = 0;
  let several = false;
  const server = createServer(async (request, response) => {
    several ||= ++open > 1;
    for await (const _chunk of request);
    await sleep(100);
    open--;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[]}');
  });
  const service = await startTestApp({
    env: { ...ownModel(`${await listening(server)}/v1`), TOLEDO_ENGINE_CONCURRENCY: concurrency },
  });
  const owner = await service.account({ credits: 100_000 });
  const text = 'La lampe brûlait encore dans la tour quand le gardien revint. '.repeat(300);
  const task = await create(service, owner.key, { ...order, text, glossary: { tour: 'Turm' }, glossary_strategy: 'replace' }); // biome-ignore format: one line
  for (let tries = 0; tries < 20 && !several; tries++) await sleep(100);
  await service.call('POST', `/api/v1/tasks/${task.body.data.task_id}/cancel`, { key: owner.key });
  server.close();
  return several;
}

function ownModel(baseUrl: string): Record<string, string> {
  return {
    TOLEDO_ENGINE: 'openai-compatible',
    TOLEDO_ENGINE_BASE_URL: baseUrl,
    TOLEDO_ENGINE_API_KEY: 'first-key',
    TOLEDO_ENGINE_MODEL: 'first-model',
  };
}

async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Whether a worker with so many places has several tasks of three partners in hand at once. */
async function runTogether(places: string, characters: number): Promise<boolean> {
  const service = await startTestApp({ env: { TOLEDO_WORKER_BOOKS: places, TOLEDO_WORKER_SHORT_TASKS: places } });
  const text = 'Une lampe. '.repeat(Math.ceil(characters / 11));
  const owners = await Promise.all([1, 2, 3].map(() => service.account({ credits: 100_000 })));
  for (const owner of owners) await create(service, owner.key, { ...order, target_lang: 'de-x-slow', text });
  const { pool } = service.application.database;
  for (;;) {
    const { rows } = await pool.query(
      `select count(*) filter (where stage <> 'queued' and status = 'pending')::int as running,
        count(*) filter (where status <> 'pending')::int as ended from tasks`,
    );
    if (rows[0].running > 1) return true;
    if (rows[0].ended > 0) return false;
    await sleep(20);
  }
}
