/** Every setting changes what the running service does: here, or in the test file that is named here. */
import { strict as assert } from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateApiKey } from '../../src/accounts/api-key.ts';
import { settingNames } from '../../src/config.ts';
import { freePort } from '../support/free-port.ts';
import { create, run } from '../support/task-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { toledo } from '../support/toledo-process.ts';

const folder = await mkdtemp(join(tmpdir(), 'toledo-settings-'));
after(() => rm(folder, { recursive: true, force: true }));

let usualLines = 0;
let debugLines = 0;
const app = await startTestApp({ logDestination: { write: () => void usualLines++ } });
const { key } = await app.account({ credits: 1_000_000 });
const order = { action: 'translation', source_lang: 'fr', target_lang: 'de', text: 'Bonjour tout le monde.' };
const port = await freePort();

/** Other processes of the same installation. A start takes long, so that one has several settings changed, each with an effect of its own. */
const beside = (env: Record<string, string>, options: Partial<Parameters<typeof startTestApp>[0]> = {}) =>
  startTestApp({ beside: app, env, role: 'api', ...options });
const [first, second, third] = await Promise.all([
  beside(
    {
      TOLEDO_HOST: '0.0.0.0',
      TOLEDO_PORT: String(port),
      TOLEDO_DATABASE_URL: app.databaseUrl,
      TOLEDO_DATABASE_DIRECT_URL: app.databaseUrl,
      TOLEDO_DATABASE_POOL: '2',
      TOLEDO_STORAGE: await unreachableBucket(),
      TOLEDO_TRUST_PROXY: 'true',
      TOLEDO_LOG_LEVEL: 'debug',
      TOLEDO_ENGINE: '',
      TOLEDO_WEBHOOK_ALLOW: '127.0.0.1',
      TOLEDO_WEBHOOK_ALLOW_HTTP: 'true',
      TOLEDO_MAX_FILE_BYTES: '2000',
    },
    { logDestination: { write: () => void debugLines++ } },
  ),
  beside({
    TOLEDO_ENGINE: '',
    TOLEDO_ENGINES: await engineForEnglish(),
    TOLEDO_WEBHOOK_ALLOW_HTTP: 'true',
    TOLEDO_MAX_REQUEST_BYTES: '2000',
  }),
  beside({
    TOLEDO_DATA_DIR: folder,
    TOLEDO_SECRET: readFileSync(join(app.dataDir, 'secret'), 'utf8').trim(),
    TOLEDO_WEBHOOK_ALLOW: '127.0.0.1',
    TOLEDO_MAX_TEXT_CHARACTERS: '2000',
  }),
]);

/** Settings whose effect another file of tests shows. */
const shownIn: Record<string, string> = {
  TOLEDO_PUBLIC_URL: 'test/http/pages.200.test.ts',
  TOLEDO_SECRET: 'test/e2e/refused-starts.test.ts',
  TOLEDO_OPERATOR_TOKEN: 'test/http/metrics-access.test.ts',
  TOLEDO_METRICS_PORT: 'test/http/metrics-access.test.ts',
  TOLEDO_METRICS_ACCESS: 'test/http/metrics-access.test.ts',
  TOLEDO_OTLP_ENDPOINT: 'test/e2e/traces.test.ts',
  TOLEDO_STORAGE_QUOTA_BYTES: 'test/http/storage-quota.413.test.ts',
  TOLEDO_UNCHARGED_CHARACTERS_PER_DAY: 'test/credits/uncharged-work.test.ts',
  TOLEDO_MAX_ARCHIVE_BYTES: 'test/http/sources.400.test.ts',
  TOLEDO_WORKER_SHORT_TASKS: 'test/proofs/worker-places.ts',
  TOLEDO_WORKER_BOOKS: 'test/proofs/worker-places.ts',
  TOLEDO_WORKER_CHARACTERS: 'test/proofs/worker-places.ts',
  TOLEDO_WATCHDOG_SECONDS: 'test/proofs/supervision.ts',
  TOLEDO_TRY: 'test/browser/front-page.test.ts',
};

type Looks = [usual: unknown, changed: unknown];

/** What is seen with the default, and what is seen with another value. */
const seenHere: Record<string, () => Promise<Looks>> = {
  TOLEDO_HOST: () =>
    both(first, ({ rootUrl }) => {
      const address = `http://127.0.0.2:${new URL(rootUrl).port}/healthz`;
      return fetch(address).then(
        () => true,
        () => false,
      );
    }),
  async TOLEDO_PORT() {
    const [usual, changed] = await both(first, async ({ rootUrl }) => Number(new URL(rootUrl).port));
    assert.equal(changed, port);
    return [usual, changed];
  },
  TOLEDO_DATA_DIR: async () => [existsSync(join(app.dataDir, 'files')), !existsSync(join(folder, 'files'))],
  async TOLEDO_DATABASE_URL() {
    const empty = await createTestDatabase();
    const accountsAt = async (url: string) => {
      const env = { TOLEDO_DATA_DIR: app.dataDir, TOLEDO_DATABASE_URL: url };
      return JSON.parse((await toledo(['account', 'list', '--json'], env)).stdout).length;
    };
    const seen = await Promise.all([accountsAt(app.databaseUrl), accountsAt(empty.url)]);
    return seen;
  },
  // A pooler gives every transaction another session, so that no session has limits of its own.
  TOLEDO_DATABASE_DIRECT_URL: () =>
    both(first, async ({ application }) => (await application.database.pool.query('show statement_timeout')).rows),
  TOLEDO_DATABASE_POOL: () =>
    both(first, async (service) => {
      const { pool } = service.application.database;
      const asked = Array.from({ length: 3 }, () => pool.connect());
      const connected = await Promise.all(asked.slice(0, 2));
      const isLarger = pool.totalCount > 2;
      for (const client of connected) client.release();
      (await asked[2])?.release();
      return isLarger;
    }),
  async TOLEDO_STORAGE() {
    // A small text would be kept in the database.
    const text = 'The lamp was out. '.repeat(2_000);
    const seen = await both(first, (service) => statusOf(service, { text }));
    assert.deepEqual(seen, [201, 503]);
    return seen;
  },
  TOLEDO_TRUST_PROXY: () =>
    both(first, async (service) => {
      let status = 0;
      for (let i = 0; i < 62; i++)
        ({ status } = await service.call('GET', '/api/v1/usage', {
          key: generateApiKey('live'),
          headers: { 'x-forwarded-for': `192.0.2.${i}` },
        }));
      return status;
    }),
  async TOLEDO_LOG_LEVEL() {
    await both(first, (service) => service.call('GET', '/api/v1/usage', { key }));
    return [usualLines > 0, debugLines > 0];
  },
  TOLEDO_ENGINES: () => both(second, async (service) => (await create(service, key, order)).status),
  TOLEDO_ENGINE: () => both(first, async (service) => (await create(service, key, order)).status),
  TOLEDO_ENGINE_BASE_URL: () => engineCalls(({ path }) => path),
  TOLEDO_ENGINE_API_KEY: () => engineCalls(({ authorization }) => authorization),
  TOLEDO_ENGINE_MODEL: () => engineCalls(({ model }) => model),
  TOLEDO_ENGINE_CONCURRENCY: () => engineCalls(({ severalAtOnce }) => severalAtOnce),
  async TOLEDO_ORDER() {
    const [free, , inOrder] = await callsOfServers();
    return [inOrder.severalAtOnce, free.severalAtOnce];
  },
  async TOLEDO_RETENTION_DAYS() {
    const { task_id } = await run(app, key, order);
    await endedDaysAgo(task_id, 2);
    const purgedAfter = async (days: number) => {
      await sweepByWorker(days);
      return await isPurged(task_id);
    };
    return [await purgedAfter(30), await purgedAfter(1)];
  },
  TOLEDO_WEBHOOK_ALLOW: async () => [await hookStatus(second), await hookStatus(first)],
  TOLEDO_WEBHOOK_ALLOW_HTTP: async () => [await hookStatus(third), await hookStatus(first)],
  TOLEDO_MAX_FILE_BYTES: () => both(first, threeThousand),
  TOLEDO_MAX_REQUEST_BYTES: () => both(second, threeThousand),
  TOLEDO_MAX_TEXT_CHARACTERS: () => both(third, threeThousand),
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

async function both(changed: TestApp, look: (service: TestApp) => Promise<unknown>): Promise<Looks> {
  return [await look(app), await look(changed)];
}

async function statusOf(service: TestApp, fields: Record<string, string>): Promise<number> {
  return (await create(service, key, { action: 'token_estimate', ...fields })).status;
}

/** Above the limits of `first` (file), `second` (request) and `third` (text), which are all 2,000. */
async function threeThousand(service: TestApp): Promise<number> {
  const file = { content: 'A lamp. '.repeat(375) };
  return (await create(service, key, { action: 'token_estimate', estimated_chars: 3_000 }, { file })).status;
}

async function hookStatus(service: TestApp): Promise<number> {
  const body = JSON.stringify({ url: 'http://127.0.0.1:9999/hook', events: ['task.completed'] });
  const headers = { 'content-type': 'application/json' };
  return (await service.call('POST', '/api/v1/webhooks', { key, headers, body })).status;
}

async function engineForEnglish(): Promise<string> {
  const path = join(folder, 'engines.json');
  const engine = { name: 'only-english', kind: 'openai-compatible', base_url: 'http://127.0.0.1:9', model: 'm' };
  await writeFile(path, JSON.stringify({ engines: [{ ...engine, target_languages: ['en'] }] }));
  return path;
}

async function unreachableBucket(): Promise<string> {
  process.env.AWS_ACCESS_KEY_ID ??= 'nobody';
  process.env.AWS_SECRET_ACCESS_KEY ??= 'nothing';
  return `s3://books?endpoint=http://127.0.0.1:${await freePort()}&region=eu`;
}

interface EngineCalls {
  path: string | undefined;
  authorization: string | undefined;
  model: unknown;
  severalAtOnce: boolean;
}

let callsOfEngines: Promise<[EngineCalls, EngineCalls, EngineCalls]> | undefined;

/** With settings as usual, with others, and in order; a text of this length is one run. */
function callsOfServers(): Promise<[EngineCalls, EngineCalls, EngineCalls]> {
  const usual = { TOLEDO_ENGINE_API_KEY: 'a-key', TOLEDO_ENGINE_MODEL: 'a-model' };
  callsOfEngines ??= Promise.all([
    callsWith('/v1', { ...usual, TOLEDO_ORDER: 'free' }),
    callsWith('/other/v1', {
      TOLEDO_ENGINE_API_KEY: 'another-key',
      TOLEDO_ENGINE_MODEL: 'another-model',
      TOLEDO_ENGINE_CONCURRENCY: '1',
      TOLEDO_ORDER: 'free',
    }),
    callsWith('/v1', usual),
  ]);
  return callsOfEngines;
}

async function engineCalls(look: (calls: EngineCalls) => unknown): Promise<Looks> {
  const [usual, changed] = await callsOfServers();
  return [look(usual), look(changed)];
}

/** What a model server is asked that never answers usefully: the first call, and whether a second comes before its answer. */
async function callsWith(path: string, settings: Record<string, string>): Promise<EngineCalls> {
  let open = 0;
  let answered = 0;
  let severalAtOnce = false;
  const { promise: call, resolve } = Promise.withResolvers<Omit<EngineCalls, 'severalAtOnce'>>();
  const server = createServer(async (request, response) => {
    // A server is asked for its facts first; this one has none to give.
    if (request.method === 'GET') return void response.writeHead(404).end();
    open++;
    // Later calls repair what came of the first ones, side by side in any order.
    severalAtOnce ||= answered === 0 && open > 1;
    let body = '';
    for await (const chunk of request) body += chunk;
    const { model } = JSON.parse(body || '{}') as { model?: unknown };
    resolve({ path: request.url, authorization: request.headers.authorization, model });
    await sleep(answered === 0 ? 1_000 : 100);
    open--;
    answered++;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[]}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const env = { TOLEDO_ENGINE: 'openai-compatible', TOLEDO_ENGINE_BASE_URL: url, ...settings };
  const service = await startTestApp({ env });
  const owner = await service.account({ credits: 100_000 });
  const text = 'La lampe brûlait encore dans la tour quand le gardien revint. '.repeat(180);
  await create(service, owner.key, { ...order, text, glossary: { tour: 'Turm' }, glossary_strategy: 'replace' });
  while (!severalAtOnce && answered === 0) await sleep(20);
  await service.application.stop();
  server.close();
  return { ...(await call), severalAtOnce };
}

/** A worker sweeps when it starts, the oldest first: when the youngest that is due has gone, it is done. */
async function sweepByWorker(retentionDays: number): Promise<void> {
  const { task_id: marker } = await run(app, key, order);
  await endedDaysAgo(marker, retentionDays + 0.5);
  await app.application.database.pool.query('delete from chores');
  const worker = await beside({ TOLEDO_RETENTION_DAYS: String(retentionDays) }, { role: 'worker' });
  while (!(await isPurged(marker))) await sleep(20);
  await worker.application.stop();
}

async function endedDaysAgo(taskId: string, days: number): Promise<void> {
  const { pool } = app.application.database;
  await pool.query('alter table tasks disable trigger tasks_guard');
  await pool.query(`update tasks set ended_at = now() - $2 * interval '1 day' where id = $1`, [taskId, days]);
  await pool.query('alter table tasks enable trigger tasks_guard');
}

async function isPurged(taskId: string): Promise<boolean> {
  const { rows } = await app.application.database.pool.query(
    'select purged_at is not null as purged from tasks where id = $1',
    [taskId],
  );
  return rows[0].purged;
}
