/**
 * Creates and polls a second, and whether polling slows down with the number of tasks: two databases on one server, one
 * with 1,000 tasks and one with 1,000,000, are polled in turns, so that noise falls on both. Goal: at most 15 % apart.
 * Creates and polls are also given as shares of a bare Fastify route with one committed insert and one indexed select
 * through a pool of the same size, in the same run. The service is `toledo serve --role api`, the bare routes are a process
 * of their own too, and the client is this one. `node_modules/.bin/node bench/tasks.ts [ROUNDS] [TASKS]`
 */
import { fork } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import pg from 'pg';
import { issueKey } from '../src/accounts/open-account.ts';
import { createApplication } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { createAccount } from '../src/operators/account-changes.ts';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { createLog } from '../src/platform/log.ts';
import { startServe } from '../test/support/toledo-process.ts';
import { type SharesOfProcessor, sharesOfProcessor } from './processor-time.ts';
import { addRow, median } from './rows.ts';

const rounds = Number(process.argv[2] ?? 10);
const manyTasks = Number(process.argv[3] ?? 1_000_000);
const seconds = 2;
const connections = 20;
const partners = 20;

interface Site {
  rootUrl: string;
  databaseUrl: string;
  keys: { key: string; testKey: string; accountId: string; keyId: string }[];
  tasks: number;
  close(): Promise<void>;
}

const folder = await mkdtemp(join(tmpdir(), 'toledo-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
const [small, large] = [await openSite('small', 1_000), await openSite('large', manyTasks)];
try {
  const bare = await openBareRoutes(small);
  const creating = await creates(small);
  const inserting = await measured({ url: `${bare.url}/insert`, method: 'POST' }, 10);
  print(`POST /tasks (2 KB of text): ${describe(creating)}`);
  print(`bare route with one insert: ${describe(inserting)}`);
  const createShare = (creating.requests.average / inserting.requests.average) * 100;
  print(`share: ${createShare.toFixed(0)} %`);
  addRow({
    name: 'POST /tasks, 2 KB of text, a second',
    value: creating.requests.average,
    unit: 'a second',
    goal: { atLeast: 150 },
    limit: `20 connections at full speed; client, service and database on one machine at a load of ${(loadavg()[0] ?? 0).toFixed(1)}`,
  });
  addRow({
    name: 'POST /tasks, 2 KB of text',
    value: createShare,
    unit: '% of a bare insert',
    limit: '100: a Fastify route with one committed insert through the same pool, in the same run',
  });
  addRow({
    name: 'POST /tasks, p99',
    value: creating.latency.p99,
    unit: 'ms',
    limit: '20 connections at full speed on a shared machine',
  });
  await compareKeyed(small);
  const rates: { small: number[]; large: number[]; bare: number[] } = { small: [], large: [], bare: [] };
  let last: Measured | undefined;
  for (let round = 0; round <= rounds; round++) {
    // The one that goes first changes from round to round: a cache that the other has warmed must favour neither.
    const order = round % 2 ? [small, large] : [large, small];
    for (const site of order) {
      const result = await polls(site);
      if (round === 0) continue; // warm-up
      rates[site === small ? 'small' : 'large'].push(result.requests.average);
      if (site === large) last = result;
    }
    const selected = await measured({ url: `${bare.url}/select` });
    if (round > 0) rates.bare.push(selected.requests.average);
    if (round === rounds) print(`bare route with one select: ${describe(selected)}`);
  }
  bare.close();
  const ratios = rates.large.map((rate, i) => rate / (rates.small[i] ?? rate));
  print(
    `GET /tasks/{id} at     1,000 tasks: ${rates.small.map(Math.round).join(' / ')} a second, median ${Math.round(median(rates.small))}`,
  );
  print(
    `GET /tasks/{id} at ${manyTasks.toLocaleString('en')} tasks: ${rates.large.map(Math.round).join(' / ')} a second, median ${Math.round(median(rates.large))}`,
  );
  if (last) print(`last round there: ${describe(last)}`);
  print(`median ratio: ${(median(ratios) * 100).toFixed(0)} %   goal ≥ 85 %`);
  addRow({
    name: `GET /tasks/{id} at ${manyTasks.toLocaleString('en')} tasks`,
    value: median(ratios) * 100,
    unit: '% of the rate at 1,000',
    goal: { atLeast: 85 },
    limit: '100: the same at 1,000 tasks, on the same server, in turns',
  });
  const shares = rates.small.map((rate, i) => (rate / (rates.bare[i] ?? rate)) * 100);
  print(
    `share of a bare route with one select: ${shares.map(Math.round).join(' / ')} %, median ${median(shares).toFixed(0)} %`,
  );
  addRow({
    name: 'GET /tasks/{id}',
    value: median(shares),
    unit: '% of a bare route',
    limit: '100: a Fastify route with one indexed select through the same pool, in turns in the same run',
  });
} finally {
  await small.close();
  await large.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function openSite(name: string, tasks: number): Promise<Site> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  const env = {
    TOLEDO_DATABASE_URL: url.href,
    TOLEDO_DATA_DIR: join(folder, name),
    TOLEDO_PORT: '0',
    TOLEDO_LOG_LEVEL: 'warn',
    TOLEDO_ENGINE: 'sandbox',
  };
  // Makes the schema and the rows; the service that is measured is a process of its own.
  const config = loadConfig(env);
  const application = await createApplication({ config, databaseUrl: url.href, role: 'api', log: createLog('warn') });
  const { db, pool } = application.database;
  const keys: Site['keys'] = [];
  for (let i = 0; i < partners; i++) {
    const account = {
      name: `partner ${i}`,
      rateLimitPerMinute: 100_000,
      billingPeriod: 'monthly',
      credits: 1e10,
    } as const;
    const created = await createAccount(db, 'test', account, application.secrets.keyPepper);
    const { rows } = await pool.query('select id from api_keys where account_id = $1', [created.account.id]);
    // The tasks below cost nothing, and only a test key sees them.
    const test = await issueKey(db, created.account.id, 'test', application.secrets.keyPepper);
    keys.push({ key: created.key, testKey: test.key, accountId: created.account.id, keyId: rows[0].id });
  }
  // Finished tasks with a file each, spread over the partners, in batches below the statement timeout.
  const batch = 50_000;
  for (let from = 0; from < tasks; from += batch) {
    const range = [from, Math.min(tasks, from + batch) - 1];
    await pool.query(
      `insert into tasks (id, account_id, key_id, action, sandbox, status, stage, progress, file_name, source_lang, detected_lang,
         target_lang, char_count, estimated_credits, credits_charged, source_sha256, result, lane, job_id, created_at, ended_at)
       select 'task_' || left(md5(n::text), 26), ($3::text[])[1 + n % $5::int], ($4::text[])[1 + n % $5::int], 'translation', true, 'completed',
         'completed', 1, 'novel.txt', 'auto', 'en', 'de', 1000, 1000, 0, '', '{"coverage":{"total":1000,"translated":1000,"kept":0,"failed":0},"warnings":[]}',
         'short', gen_random_uuid(), now() - make_interval(secs => n), now() - make_interval(secs => n)
       from generate_series($1::int, $2::int) n`,
      [...range, keys.map(({ accountId }) => accountId), keys.map(({ keyId }) => keyId), partners],
    );
    await pool.query(
      `insert into task_outputs (task_id, file_id, position, file_name, media_type, storage_key, size_bytes, sha256)
       select 'task_' || left(md5(n::text), 26), 'translated', 0, 'novel.de.txt', 'text/plain', 'outputs/x', 1000, repeat('0', 64)
       from generate_series($1::int, $2::int) n`,
      range,
    );
  }
  const maintenance = new pg.Client({ connectionString: url.href });
  await maintenance.connect();
  await maintenance.query('vacuum analyze');
  await maintenance.end();
  await application.stop();
  const service = await startServe(env, ['--role', 'api']);
  const close = async () => {
    service.child.kill('SIGTERM');
    await service.exited;
  };
  return { rootUrl: service.rootUrl, databaseUrl: url.href, keys, tasks, close };
}

async function polls({ rootUrl, keys, tasks }: Site): Promise<Measured> {
  const requests = Array.from({ length: 50 }, () => {
    const n = Math.floor(Math.random() * tasks);
    const taskId = `task_${createHash('md5').update(String(n)).digest('hex').slice(0, 26)}`;
    const key = keys[n % partners]?.testKey;
    return { path: `/api/v1/tasks/${taskId}`, headers: { authorization: `Bearer ${key}` } };
  });
  return await measured({ url: rootUrl, requests });
}

async function creates(site: Site): Promise<Measured> {
  const requests = createRequests(site);
  await measured({ url: site.rootUrl, requests });
  return await measured({ url: site.rootUrl, requests }, 10);
}

function createRequests({ keys }: Site): autocannon.Request[] {
  const text = 'The lamp on the quay was out, and nobody had lit it since Monday. '.repeat(31);
  const body = JSON.stringify({ action: 'translation', target_lang: 'de', text });
  return keys.map(({ key }) => ({
    method: 'POST' as const,
    path: '/api/v1/tasks',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  }));
}

/** In turns, because creates become slower the more tasks are waiting. The client makes a request anew each time, on both sides. */
async function compareKeyed(site: Site): Promise<void> {
  const made = (keyed: boolean): autocannon.Request[] =>
    createRequests(site).map((request) => ({
      ...request,
      setupRequest: (sent) => ({
        ...sent,
        headers: { ...sent.headers, ...(keyed ? { 'idempotency-key': randomUUID() } : {}) },
      }),
    }));
  const rates: { plain: number[]; keyed: number[] } = { plain: [], keyed: [] };
  for (let round = 0; round <= 3; round++) {
    const [keyed, plain] = [
      await measured({ url: site.rootUrl, requests: made(true) }, 3),
      await measured({ url: site.rootUrl, requests: made(false) }, 3),
    ];
    if (round === 0) continue; // warm-up
    rates.keyed.push(keyed.requests.average);
    rates.plain.push(plain.requests.average);
    if (round === 3)
      print(`POST /tasks with an Idempotency-Key: ${describe(keyed)}\nwithout, in turns: ${describe(plain)}`);
  }
  const share = median(rates.keyed.map((rate, i) => (rate / (rates.plain[i] ?? rate)) * 100));
  print(
    `with a key: ${rates.keyed.map(Math.round).join(' / ')} a second, without: ${rates.plain.map(Math.round).join(' / ')}`,
  );
  print(`median share: ${share.toFixed(0)} %`);
  addRow({
    name: 'POST /tasks with an Idempotency-Key, 2 KB of text',
    value: share,
    unit: '% of the rate without',
    limit: '100: the same without a key, in turns in the same run',
  });
}

type Measured = autocannon.Result & { serviceMs: number; databaseMs: number; clientMs: number };

async function measured(options: autocannon.Options, duration = seconds): Promise<Measured> {
  const before = sharesOfProcessor();
  const result = await autocannon({ ...options, ...apart(options.requests), connections, duration });
  const after = sharesOfProcessor();
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers were no success, ${result.errors} errors`);
  const total = Math.max(1, result.requests.total);
  const each = (who: keyof SharesOfProcessor): number => (after[who] - before[who]) / total;
  return { ...result, serviceMs: each('api'), databaseMs: each('database'), clientMs: each('client') };
}

/** Each connection begins with another request: side by side they would all ask for the same partner at the same time. */
function apart(requests: autocannon.Request[] | undefined): Pick<autocannon.Options, 'setupClient'> {
  if (requests === undefined) return {};
  let first = 0;
  const setupClient = (client: autocannon.Client) => {
    client.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
    first = (first + Math.ceil(requests.length / connections)) % requests.length;
  };
  return { setupClient };
}

/** On idle cores the processor time of one request is what bounds how many there are a second. */
function describe({ requests, latency, serviceMs, databaseMs, clientMs }: Measured): string {
  const rate = `${Math.round(requests.average)} a second, p50 ${latency.p50} ms, p99 ${latency.p99} ms`;
  return `${rate} (${connections} connections); processor time ${serviceMs.toFixed(2)} ms service, ${databaseMs.toFixed(2)} ms database, ${clientMs.toFixed(2)} ms client`;
}

async function openBareRoutes({ databaseUrl, keys }: Site): Promise<{ url: string; close(): void }> {
  const child = fork(new URL('bare-routes.ts', import.meta.url), [databaseUrl, keys[0]?.accountId ?? '']);
  const [port] = await once(child, 'message');
  return { url: `http://127.0.0.1:${port}`, close: () => child.kill() };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
