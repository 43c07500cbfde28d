/**
 * Creates and polls a second, and whether polling slows down with the number of tasks: two databases on one server, one
 * with 1,000 tasks and one with 1,000,000, are polled in turns, so that noise falls on both. Goal: at most 15 % apart.
 * Creates and polls are also given as shares of a
 * bare Fastify route with one committed insert and one indexed select through the same pool, in the same run.
 * `node bench/tasks.ts [ROUNDS] [TASKS]`
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import fastify from 'fastify';
import pg from 'pg';
import { type Application, createApplication } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { createAccount } from '../src/operators/account-changes.ts';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { createLog } from '../src/platform/log.ts';
import { addRow, median } from './rows.ts';

const rounds = Number(process.argv[2] ?? 10);
const manyTasks = Number(process.argv[3] ?? 1_000_000);
const seconds = 2;
const connections = 20;
const partners = 20;

interface Site {
  application: Application;
  port: number;
  keys: { key: string; accountId: string; keyId: string }[];
  tasks: number;
  close(): Promise<void>;
}

const folder = await mkdtemp(join(tmpdir(), 'toledo-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
const [small, large] = [await openSite('small', 1_000), await openSite('large', manyTasks)];
try {
  const bare = await openBareRoutes(small);
  const creating = await creates(small);
  const inserting = await measured({ url: `http://127.0.0.1:${bare.port}/insert`, method: 'POST' }, 10);
  print(`POST /tasks (2 KB of text): ${describe(creating)}`);
  print(`bare route with one insert: ${describe(inserting)}`);
  const createShare = (creating.requests.average / inserting.requests.average) * 100;
  print(`share: ${createShare.toFixed(0)} %`);
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
  const rates: { small: number[]; large: number[]; bare: number[] } = { small: [], large: [], bare: [] };
  let last: autocannon.Result | undefined;
  for (let round = 0; round <= rounds; round++) {
    // The one that goes first changes from round to round: a cache that the other has warmed must favour neither.
    const order = round % 2 ? [small, large] : [large, small];
    for (const site of order) {
      const result = await polls(site);
      if (round === 0) continue; // warm-up
      rates[site === small ? 'small' : 'large'].push(result.requests.average);
      if (site === large) last = result;
    }
    const selected = await measured({ url: `http://127.0.0.1:${bare.port}/select` });
    if (round > 0) rates.bare.push(selected.requests.average);
  }
  await bare.close();
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
  const config = loadConfig({
    TOLEDO_DATA_DIR: join(folder, name),
    TOLEDO_PORT: '0',
    TOLEDO_LOG_LEVEL: 'warn',
    TOLEDO_ENGINE: 'sandbox',
  });
  const application = await createApplication({ config, databaseUrl: url.href, role: 'api', log: createLog('warn') });
  const { port } = await application.listen();
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
    keys.push({ key: created.key, accountId: created.account.id, keyId: rows[0].id });
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
  return { application, port, keys, tasks, close: () => application.stop() };
}

async function polls({ port, keys, tasks }: Site): Promise<autocannon.Result> {
  const requests = Array.from({ length: 2_000 }, () => {
    const n = Math.floor(Math.random() * tasks);
    const taskId = `task_${createHash('md5').update(String(n)).digest('hex').slice(0, 26)}`;
    const key = keys[n % partners]?.key;
    return { path: `/api/v1/tasks/${taskId}`, headers: { authorization: `Bearer ${key}` } };
  });
  return await measured({ url: `http://127.0.0.1:${port}`, requests });
}

async function creates({ port, keys }: Site): Promise<autocannon.Result> {
  const text = 'The lamp on the quay was out, and nobody had lit it since Monday. '.repeat(31);
  const body = JSON.stringify({ action: 'translation', target_lang: 'de', text });
  const requests = keys.map(({ key }) => ({
    method: 'POST' as const,
    path: '/api/v1/tasks',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  }));
  await measured({ url: `http://127.0.0.1:${port}`, requests });
  return await measured({ url: `http://127.0.0.1:${port}`, requests }, 10);
}

async function measured(options: autocannon.Options, duration = seconds): Promise<autocannon.Result> {
  const result = await autocannon({ ...options, connections, duration });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers were no success, ${result.errors} errors`);
  return result;
}

function describe({ requests, latency }: autocannon.Result): string {
  return `${Math.round(requests.average)} a second, p50 ${latency.p50} ms, p99 ${latency.p99} ms (${connections} connections)`;
}

/** What a route of the same framework costs that only reads or writes one row. */
async function openBareRoutes({ application, keys }: Site): Promise<{ port: number; close(): Promise<void> }> {
  const { pool } = application.database;
  await pool.query('create table bench_rows (id bigint generated always as identity primary key, note text not null)');
  const server = fastify();
  server.get('/select', async () => {
    const { rows } = await pool.query('select id, name, created_at from accounts where id = $1', [keys[0]?.accountId]);
    return { success: true, data: rows[0] };
  });
  server.post('/insert', async () => {
    const { rows } = await pool.query('insert into bench_rows (note) values ($1) returning id', ['a task']);
    return { success: true, data: rows[0] };
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  return { port: (server.server.address() as { port: number }).port, close: () => server.close() };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
