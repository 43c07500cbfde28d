/**
 * Simultaneous creates over several processes: one task and one hold per idempotency key, and a balance that is never
 * overdrawn. Size: creates.
 */
import { strict as assert } from 'node:assert';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { proofRun } from '../support/proof.ts';
import { create } from '../support/task-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { startServe } from '../support/toledo-process.ts';

const { size: creates, isLong } = proofRun({ short: 400, long: 20_000 });
const keys = Math.round(Math.sqrt(creates * (isLong ? 2 : 1)));
const copies = Math.round(creates / keys);
const sockets = isLong ? 64 : 32;

test(`${keys} keys × ${copies} simultaneous identical creates over two API processes: ${keys} tasks and holds, the rest identical replays`, async (context) => {
  const app = await startTestApp({ role: 'api' });
  const env = {
    TOLEDO_DATA_DIR: app.dataDir,
    TOLEDO_DATABASE_URL: app.databaseUrl,
    TOLEDO_PORT: '0',
    TOLEDO_LOG_LEVEL: 'warn',
  };
  const processes = await Promise.all([startServe(env, ['--role', 'api']), startServe(env, ['--role', 'api'])]);
  context.after(async () => {
    for (const { child } of processes) child.kill('SIGKILL');
    await Promise.all(processes.map(({ exited }) => exited));
  });
  const { id, key } = await app.account({ credits: 10_000_000, rateLimitPerMinute: 100_000 });
  const urls = processes.map(({ rootUrl }) => rootUrl);
  const figures = await proveReplays({ urls, key, keys, copies, sockets });
  const { rows } = await app.application.database.pool.query(
    `select (select count(*)::int from tasks where account_id = $1) as tasks,
         (select count(*)::int from credit_holds where account_id = $1) as holds,
         (select count(*)::int from idempotency_keys where account_id = $1) as keys,
         (select count(*)::int from pgboss.job) as jobs`,
    [id],
  );
  assert.deepEqual(rows[0], { tasks: keys, holds: keys, keys, jobs: keys });
  context.diagnostic(JSON.stringify(figures));
  for (const { child } of processes) child.kill('SIGTERM');
  for (const { exited } of processes) assert.deepEqual(await exited, { code: 0, signal: null });
});

test(`${creates} simultaneous creates on one balance: exactly as many succeed as it covers, and it is never overdrawn`, async (context) => {
  // Without a worker: what is held stays held, so the figures are exact.
  const app = await startTestApp({ role: 'api' });
  const figures = await proveNoOverdraft(app, { creates, affordable: Math.floor(creates / 3), sockets });
  context.diagnostic(JSON.stringify(figures));
});

interface ReplayFigures {
  creates: number;
  seconds: number;
  replayed: number;
  /** Answers that asked to come back later, by status; none of them counts as an answer. */
  refused: Record<number, number>;
}

/**
 * Sends every idempotency key many times at once over all the given processes, and proves that the answers of one key
 * are one body, of which exactly one is not marked as a replay.
 */
async function proveReplays(options: {
  urls: readonly string[];
  key: string;
  keys: number;
  copies: number;
  sockets: number;
}): Promise<ReplayFigures> {
  const { urls, key, keys, copies, sockets } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: Math.ceil(sockets / urls.length) });
  const novel = 'The lamp on the quay was out, and nobody had lit it since Monday. '.repeat(46); // some 3 KB
  const seen = new Map<number, { bodies: Set<string>; originals: number }>();
  const refused: Record<number, number> = {};
  const started = performance.now();
  try {
    const orders = Array.from({ length: keys * copies }, (_, i) => ({
      order: Math.floor(i / copies),
      copy: i,
    })).values();
    const client = async () => {
      for (const { order, copy } of orders) {
        const url = `${urls[copy % urls.length]}/api/v1/tasks`;
        const send = () => post(url, agent, key, `order ${order}`, `${order} ${novel}`);
        let answer = await send();
        // What a partner does when told to come back later: the same request with the same key.
        for (let tries = 0; tries < 10 && answer.retryAfterSeconds > 0; tries++) {
          refused[answer.status ?? 0] = (refused[answer.status ?? 0] ?? 0) + 1;
          await sleep(answer.retryAfterSeconds * 1000);
          answer = await send();
        }
        assert.equal(answer.status, 201, answer.body);
        const entry = seen.get(order) ?? { bodies: new Set(), originals: 0 };
        entry.bodies.add(answer.body);
        if (!answer.replayed) entry.originals += 1;
        seen.set(order, entry);
      }
    };
    await Promise.all(Array.from({ length: sockets }, client));
  } finally {
    agent.destroy();
  }
  assert.equal(seen.size, keys);
  for (const [order, { bodies, originals }] of seen) {
    assert.equal(bodies.size, 1, `order ${order} got ${bodies.size} different answers`);
    assert.equal(originals, 1, `order ${order} was created ${originals} times`);
  }
  return {
    creates: keys * copies,
    seconds: Math.round(performance.now() - started) / 1000,
    replayed: keys * (copies - 1),
    refused,
  };
}

function post(
  url: string,
  agent: Agent,
  key: string,
  idempotencyKey: string,
  content: string,
): Promise<{ status: number | undefined; replayed: boolean; retryAfterSeconds: number; body: string }> {
  const fields = { action: 'translation', target_lang: 'de', estimated_chars: '3100' };
  const parts = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--b\r\nContent-Disposition: form-data; name="file"; filename="novel.txt"\r\n\r\n${content}\r\n--b--\r\n`;
  const body = Buffer.from(parts.join('') + file);
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'idempotency-key': idempotencyKey,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': body.byteLength,
    };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          replayed: response.headers['idempotent-replayed'] === 'true',
          retryAfterSeconds: Number(response.headers['retry-after'] ?? 0),
          body: text,
        }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const price = 60;

/** Many creates at once on a balance that covers only some of them: the count is exact, and no instant is overdrawn. */
async function proveNoOverdraft(
  app: TestApp,
  options: { creates: number; affordable: number; sockets: number },
): Promise<{ seconds: number; samples: number; refused: number }> {
  const { creates, affordable, sockets } = options;
  const { id, key } = await app.account({ credits: affordable * price + price - 1, rateLimitPerMinute: 100_000 });
  // A connection of its own: the application's are what is being fought over.
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  let refused = 0;
  let running = true;
  let samples = 0;
  const sampling = (async () => {
    while (running) {
      const { rows } = await client.query<Record<string, number>>(
        'select available::float8, reserved::float8, spent::float8, granted::float8 from credit_balances where account_id = $1',
        [id],
      );
      const { available = -1, reserved = -1, spent = -1, granted } = rows[0] ?? {};
      assert.ok(available >= 0 && reserved >= 0, JSON.stringify(rows[0]));
      assert.equal(available + reserved + spent, granted);
      samples += 1;
    }
  })();
  const started = performance.now();
  const statuses: Record<string, number> = {};
  const orders = Array.from({ length: creates }, (_, i) => i).values();
  const sender = async () => {
    for (const i of orders) {
      const request = { action: 'translation', target_lang: 'de', text: 'y'.repeat(price) };
      const send = () => create(app, key, request, { idempotencyKey: `order ${i}` });
      let answer = await send();
      for (let tries = 0; tries < 10 && answer.status === 503; tries++) {
        refused += 1;
        await sleep(Number(answer.headers.get('retry-after')) * 1000);
        answer = await send();
      }
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: sockets }, sender));
  running = false;
  await sampling;
  await client.end();
  assert.deepEqual(statuses, { 201: affordable, 402: creates - affordable });
  return { seconds: Math.round(performance.now() - started) / 1000, samples, refused };
}
