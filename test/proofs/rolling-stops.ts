/**
 * Processes are stopped with SIGTERM and replaced one after the other under load, as an update does, and no partner
 * notices. Size: stops.
 */
import { strict as assert } from 'node:assert';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultCluster, type Member, startFaultCluster } from '../support/fault-cluster.ts';
import { proofRun } from '../support/proof.ts';
import { story } from '../support/texts.ts';

const { size: stops, isLong } = proofRun({ short: 2, long: 50 });

test(`${stops} times SIGTERM under load: no reset, no 5xx but 503 on new work, exit 0 within 20 s, no run of a task used up`, async (t) => {
  const found = await proveRollingStops({ stops, clients: isLong ? 8 : 3 });
  t.diagnostic(JSON.stringify(found));
  assert.ok(found.tasks >= stops);
  assert.ok(!isLong || found.slowestNoticeMs <= 100, `/readyz: 503 after ${found.slowestNoticeMs} ms`);
});

interface RollingStops {
  stops: number;
  answers: Record<string, number>;
  tasks: number;
  /** From the signal to the first 503 of /readyz, of API processes. */
  slowestNoticeMs: number;
  slowestStopMs: number;
}

interface Reply {
  status: number;
  retryAfter: number;
  // biome-ignore lint/suspicious/noExplicitAny: read as in the contract; the HTTP tests hold the shapes
  body: any;
}

const longestStopMs = 20_000;
const probeIntervalMs = 200;

async function proveRollingStops(options: { stops: number; clients: number }): Promise<RollingStops> {
  // Four segments at a time, so that books are in the middle of their work when a worker has to stop.
  const cluster = await startFaultCluster({ env: { TOLEDO_ENGINE_CONCURRENCY: '4' } });
  const apis = await Promise.all([cluster.start('api'), cluster.start('api')]);
  const workers = await Promise.all([cluster.start('worker'), cluster.start('worker')]);
  const found: RollingStops = { stops: 0, answers: {}, tasks: 0, slowestNoticeMs: 0, slowestStopMs: 0 };
  const balancer = new Balancer(apis, found);
  let over = false;
  const client = async (number: number): Promise<void> => {
    const { key } = await cluster.account({ credits: 100_000_000 });
    for (let turn = 0; !over; turn++) {
      // Every second one takes several seconds, and every fifth create waits for its result.
      const slow = number % 2 === 0;
      const text = story(slow ? 6_000 : 400, number * 10_000 + turn);
      const fields = { action: 'translation', target_lang: slow ? 'de-x-slow' : 'de', text };
      const inline = { action: 'glossary_extraction', target_lang: 'de-x-slow', char_limit: 300, text };
      const created = await balancer.call('POST', '/api/v1/tasks', key, turn % 5 === 4 ? inline : fields, `k-${turn}`);
      assert.equal(created.status, 201, JSON.stringify(created.body));
      found.tasks += 1;
      for (let status = 'pending'; status === 'pending' && !over; await sleep(50)) {
        const path = `/api/v1/tasks/${created.body.data.task_id}`;
        ({ status } = (await balancer.call('GET', path, key)).body.data);
        if (status !== 'pending') assert.equal(status, 'completed');
      }
    }
  };
  const clients = Promise.all(Array.from({ length: options.clients }, (_, number) => client(number)));
  const stopping = async (): Promise<void> => {
    for (; found.stops < options.stops; found.stops++) {
      // Three of five stops are of APIs; the slots take turns.
      const kind = found.stops % 5 < 3 ? apis : workers;
      const slot = Math.floor(found.stops / 5) % 2;
      const leaving = kind[slot] as Member;
      await sleep(300);
      const notice = leaving.role === 'api' ? noticeMs(leaving) : Promise.resolve(0);
      const [{ code, durationMs }, afterMs] = await Promise.all([leaving.stop(), notice]);
      assert.equal(code, 0, leaving.stderr().slice(-2_000));
      assert.ok(durationMs <= longestStopMs, `stopped after ${durationMs} ms`);
      found.slowestStopMs = Math.max(found.slowestStopMs, durationMs);
      found.slowestNoticeMs = Math.max(found.slowestNoticeMs, afterMs);
      kind[slot] = await leaving.startAgain();
    }
  };
  try {
    await Promise.race([stopping(), clients]);
  } finally {
    over = true;
  }
  await clients;
  balancer.close();
  await assertNoAttemptConsumed(cluster);
  return found;
}

/** How a load balancer behaves: a process that says 503 to it or to its probes gets nothing more until it is a new one. */
class Balancer {
  readonly #members: readonly Member[];
  readonly #found: RollingStops;
  readonly #leaving = new WeakSet<Member>();
  readonly #agent = new Agent({ keepAlive: true });
  readonly #probing: NodeJS.Timeout;
  #turn = 0;

  constructor(members: readonly Member[], found: RollingStops) {
    this.#members = members;
    this.#found = found;
    this.#probing = setInterval(() => {
      for (const member of members) {
        send(undefined, 'GET', `${member.rootUrl}/readyz`, {}).then(
          ({ status }) => status === 200 || this.#leaving.add(member),
          () => this.#leaving.add(member),
        );
      }
    }, probeIntervalMs);
  }

  async call(method: string, path: string, key: string, body?: object, idempotencyKey?: string): Promise<Reply> {
    for (;;) {
      const ready = this.#members.filter((member) => !this.#leaving.has(member));
      const member = ready[this.#turn++ % Math.max(1, ready.length)];
      if (!member) {
        await sleep(20);
        continue;
      }
      const reply = await send(
        this.#agent,
        method,
        member.rootUrl + path,
        {
          authorization: `Bearer ${key}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
        },
        body,
      );
      this.#found.answers[reply.status] = (this.#found.answers[reply.status] ?? 0) + 1;
      if (reply.status !== 503) {
        assert.ok(reply.status < 500, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
        return reply;
      }
      assert.ok(reply.retryAfter >= 1, '503 says when to come back');
      this.#leaving.add(member);
    }
  }

  close(): void {
    clearInterval(this.#probing);
    this.#agent.destroy();
  }
}

/** @throws on a reset or any other broken connection */
function send(
  agent: Agent | undefined,
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, ...(agent ? { agent } : { agent: false }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const retryAfter = Number(response.headers['retry-after'] ?? 0);
        resolve({ status: response.statusCode ?? 0, retryAfter, body: JSON.parse(text) });
      });
    });
    sent.on('error', (cause) => reject(new Error(`${method} ${url}: ${cause.message}`, { cause })));
    sent.end(body && JSON.stringify(body));
  });
}

/** Asks /readyz again and again until it says no; the time counts from the first question, just before the signal. */
async function noticeMs({ rootUrl }: Member): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const { status } = await send(undefined, 'GET', `${rootUrl}/readyz`, {});
    const elapsedMs = Math.round(performance.now() - startedAt);
    if (status === 503) return elapsedMs;
    assert.ok(elapsedMs < 5_000, 'never said that it is leaving');
  }
}

/** A stop is no fault of a task: nothing was counted against it, and its job was put back as a new one. */
async function assertNoAttemptConsumed({ pool }: FaultCluster): Promise<void> {
  const { rows } = await pool.query(
    `select (select count(*)::int from tasks where faults > 0) as faults,
       (select count(*)::int from tasks where status in ('failed', 'cancelled')) as failed,
       (select count(*)::int from pgboss.job where retry_count > 0) as retries`,
  );
  assert.deepEqual(rows[0], { faults: 0, failed: 0, retries: 0 });
}
