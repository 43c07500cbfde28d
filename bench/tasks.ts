/**
 * Creates and polls a second, and whether polling slows down with the number of tasks: two databases on one server, one
 * with 1,000 tasks and one with 1,000,000, are polled in turns, so that noise falls on both. Goal: at most 15 % apart.
 * `node bench/tasks.ts [ROUNDS]`
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import pg from 'pg';
import { type Application, createApplication } from '../src/app.ts';
import { createFundedAccount } from '../src/cli/operator/account-commands.ts';
import { loadConfig } from '../src/config.ts';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { createLog } from '../src/platform/log.ts';

const rounds = Number(process.argv[2] ?? 10);
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
const [small, large] = [await openSite('small', 1_000), await openSite('large', 1_000_000)];
try {
  const creating = await creates(small);
  print(`POST /tasks (2 KB of text): ${describe(creating)}`);
  const rates: { small: number[]; large: number[] } = { small: [], large: [] };
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
  }
  const ratios = rates.large.map((rate, i) => rate / (rates.small[i] ?? rate));
  print(
    `GET /tasks/{id} at     1,000 tasks: ${rates.small.map(Math.round).join(' / ')} a second, median ${Math.round(median(rates.small))}`,
  );
  print(
    `GET /tasks/{id} at 1,000,000 tasks: ${rates.large.map(Math.round).join(' / ')} a second, median ${Math.round(median(rates.large))}`,
  );
  if (last) print(`last round at 1,000,000: ${describe(last)}`);
  print(`median ratio: ${(median(ratios) * 100).toFixed(0)} %   goal ≥ 85 %`);
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
  const config = loadConfig({ TOLEDO_DATA_DIR: join(folder, name), TOLEDO_PORT: '0', TOLEDO_LOG_LEVEL: 'warn' });
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
    const created = await createFundedAccount(db, account, application.secrets.keyPepper);
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

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
