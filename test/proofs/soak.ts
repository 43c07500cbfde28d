/**
 * Mixed load on two API and two worker processes, each replaced once on the way: only answers that a partner may get,
 * accounts that balance, and nothing left behind. Size: minutes.
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { assertBooksBalance } from '../support/audit.ts';
import { type LeanAnswer, LeanClient, percentile } from '../support/lean-client.ts';
import { proofRun } from '../support/proof.ts';
import { story } from '../support/texts.ts';
import { type ServeProcess, startServe, startWorkerProcess, toledo } from '../support/toledo-process.ts';

const { size: minutes, isLong } = proofRun({ short: 0.15, long: 10 });
const rps = isLong ? 100 : 30;
const runMs = minutes * 60_000;

const running = new Set<ServeProcess>();
const client = new LeanClient(64);

test(`${minutes} minutes of mixed load with ${rps} calls per second, every process replaced once: no wrong answer, nothing left behind`, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-soak-'));
  const dataDir = join(folder, 'database');
  const database = await startEmbeddedPostgres({ dataDir, maxConnections: 100, log: () => {} });
  const env = { TOLEDO_DATA_DIR: join(folder, 'data'), TOLEDO_DATABASE_URL: database.url, TOLEDO_PORT: '0' };
  try {
    context.diagnostic(JSON.stringify(await soak(env)));
    await assertBooksBalance(database.url);
  } finally {
    client.close();
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all([...running].map(({ exited }) => exited));
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

async function soak(env: Record<string, string>): Promise<object> {
  const start = (role: 'api' | 'worker') => startProcess(role, env);
  const apis = [await start('api'), await start('api')];
  const workers = [await start('worker'), await start('worker')];
  const created = await toledo(
    ['account', 'create', 'soak', '--credits', '1000000000', '--rate-limit', '100000', '--json'],
    env,
  );
  const key: string = JSON.parse(created.stdout).api_key;
  const figures = { calls: 0, retried: 0, statuses: {} as Record<string, number> };
  const times: Record<'create' | 'read', number[]> = { create: [], read: [] };
  const faults: string[] = [];
  const taskIds: string[] = [];
  let order = 0;

  /** As a partner's client does it: told to come back, or cut off, it comes back with the same key, to the next process. */
  const call = async (
    kind: 'create' | 'read',
    method: string,
    path: string,
    options = {},
  ): Promise<LeanAnswer | undefined> => {
    figures.calls += 1;
    for (let tries = 0; tries < 30; tries++) {
      const api = apis[(order++ + tries) % apis.length] as ServeProcess;
      const answer = await client.send(method, api.rootUrl + path, { key, ...options }).catch(() => undefined);
      const status = answer?.status ?? 0;
      figures.statuses[status || 'cut off'] = (figures.statuses[status || 'cut off'] ?? 0) + 1;
      if (answer && status < 400) {
        times[kind].push(answer.elapsedMs);
        return answer;
      }
      const wait = Number(answer?.headers['retry-after'] ?? 0);
      if (answer && !((status === 503 || status === 409) && wait >= 1)) {
        faults.push(`${method} ${path}: ${status} ${answer.text}`);
        return undefined;
      }
      figures.retried += 1;
      await sleep(answer ? wait * 1000 : 200);
    }
    faults.push(`${method} ${path}: never answered`);
    return undefined;
  };
  const step = async (n: number) => {
    const id = taskIds[(n * 7919) % Math.max(1, taskIds.length)];
    if (n % 10 === 0 || id === undefined) {
      const fields = {
        action: n % 20 === 0 ? 'translation' : 'token_estimate',
        target_lang: 'de',
        text: story(400, n),
      };
      const headers = { 'content-type': 'application/json', 'idempotency-key': `soak ${n}` };
      const answer = await call('create', 'POST', '/api/v1/tasks', { headers, body: JSON.stringify(fields) });
      if (answer) taskIds.push(JSON.parse(answer.text).data.task_id);
    } else if (n % 10 === 1) await call('read', 'GET', '/api/v1/usage');
    else if (n % 10 === 2) await call('read', 'GET', '/api/v1/tasks?limit=10');
    else await call('read', 'GET', `/api/v1/tasks/${id}`);
  };

  const samples = new Map<number, { minute: number; rssMb: number; fds: number }[]>();
  const startedMs = performance.now();
  const sample = async () => {
    for (const { pid } of [...apis, ...workers]) {
      const list = samples.get(pid) ?? [];
      list.push({ minute: (performance.now() - startedMs) / 60_000, ...(await resourcesOf(pid)) });
      samples.set(pid, list);
    }
  };
  const replace = async (list: ServeProcess[], role: 'api' | 'worker') => {
    for (const [index, old] of [...list.entries()]) {
      list[index] = await start(role);
      old.child.kill('SIGTERM');
      assert.deepEqual(await old.exited, { code: 0, signal: null });
      running.delete(old);
    }
  };

  const rolling = async () => {
    try {
      await replace(apis, 'api');
      await replace(workers, 'worker');
    } catch (error) {
      faults.push(`rolling restart: ${error}`);
    }
  };

  const pending = new Set<Promise<void>>();
  let restart: Promise<void> | undefined;
  let nextSampleMs = 0;
  for (let n = 0; ; n++) {
    const elapsedMs = performance.now() - startedMs;
    if (elapsedMs >= runMs) break;
    if (elapsedMs >= nextSampleMs) {
      await sample();
      nextSampleMs = elapsedMs + 5_000;
    }
    if (elapsedMs > runMs / 2) restart ??= rolling();
    const work: Promise<void> = step(n).finally(() => pending.delete(work));
    pending.add(work);
    await sleep(Math.max(0, startedMs + ((n + 1) * 1000) / rps - performance.now()));
  }
  await restart;
  await Promise.all(pending);
  const seconds = (performance.now() - startedMs) / 1000;
  let left = 1;
  for (const deadline = Date.now() + 120_000; left > 0 && Date.now() < deadline; await sleep(500)) {
    const answer = await call('read', 'GET', '/api/v1/tasks?status=pending&limit=1');
    left = answer ? JSON.parse(answer.text).data.tasks.length : 1;
  }
  const growth = [...samples.values()].filter((list) => list.length > 8).map((list) => growthOf(list.slice(4)));
  const report = {
    minutes,
    callsPerSecond: Math.round(figures.calls / seconds),
    ...figures,
    faults: faults.slice(0, 5),
    getP99Ms: Math.round(percentile(times.read, 0.99)),
    createP99Ms: Math.round(percentile(times.create, 0.99)),
    tasks: taskIds.length,
    pendingAtTheEnd: left,
    growth,
  };
  assert.deepEqual(faults, [], JSON.stringify(report));
  assert.equal(left, 0, JSON.stringify(report));
  return report;
}

async function startProcess(role: 'api' | 'worker', env: Record<string, string>): Promise<ServeProcess> {
  const started =
    role === 'api'
      ? await startServe({ ...env, TOLEDO_LOG_LEVEL: 'warn' }, ['--role', 'api'])
      : await startWorkerProcess(env);
  running.add(started);
  return started;
}

async function resourcesOf(pid: number): Promise<{ rssMb: number; fds: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const fds = await readdir(`/proc/${pid}/fd`).catch(() => []);
  return { rssMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024, fds: fds.length };
}

/** The slope of the memory in MB a minute by least squares, and how far the open files went apart. */
function growthOf(list: { minute: number; rssMb: number; fds: number }[]): object {
  const mean = (of: (entry: (typeof list)[number]) => number) =>
    list.reduce((sum, each) => sum + of(each), 0) / list.length;
  const [minute, rss] = [mean((each) => each.minute), mean((each) => each.rssMb)];
  const across = mean((each) => (each.minute - minute) * (each.rssMb - rss));
  const along = mean((each) => (each.minute - minute) ** 2);
  const fds = list.map((each) => each.fds);
  return {
    rssMb: Math.round(rss),
    slopeMbPerMinute: Math.round((across / along) * 10) / 10,
    fds: [Math.min(...fds), Math.max(...fds)],
  };
}
