/**
 * Connections between the service and its database break, one at a time and now and then all at once, while partners
 * work: no answer but 2xx and 503, nothing leaked or stuck. Size: broken connections.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../support/api-client.ts';
import type { OpenLine } from '../support/chaos-proxy.ts';
import { type FaultCluster, type Member, startFaultCluster } from '../support/fault-cluster.ts';
import { proofRun } from '../support/proof.ts';
import { seeded } from '../support/simulated-llm/random.ts';
import { create, poll } from '../support/task-client.ts';
import { story } from '../support/texts.ts';
import { eventually } from '../support/workers.ts';

const { size: faults, seed, isLong } = proofRun({ short: 4, long: 200, seed: 3 });

test(`${faults} broken connections to the database: nothing but 2xx and 503 with Retry-After, no connection leaked, no task stuck`, async (t) => {
  const pace = isLong ? { intervalMs: 1_200, clients: 4 } : { intervalMs: 100, clients: 2 };
  const found = await proveDatabaseFaults({ faults, seed, ...pace });
  t.diagnostic(JSON.stringify(found));
  assert.ok(!isLong || found.tasks >= faults / 4, 'the partners were at work');
});

interface DatabaseFaultsOptions {
  faults: number;
  /** On average. */
  intervalMs: number;
  clients: number;
  seed: number;
}

interface DatabaseFaults {
  tasks: number;
  answers: Record<string, number>;
  slowestAnswerMs: number;
  struck: Record<string, number>;
}

const kinds: Record<string, (line: OpenLine) => void> = {
  reset: (line) => line.reset(),
  'half-open': (line) => line.freeze(),
  'delay of 2 s': (line) => line.delay(2_000),
};
/** Every so many faults, all lines at once: what a failover of the database looks like. */
const allEvery = 20;
/** Longer than any statement may take; a request without an answer by then has been forgotten. */
const answerLimitMs = 40_000;

async function proveDatabaseFaults(options: DatabaseFaultsOptions): Promise<DatabaseFaults> {
  const cluster = await startFaultCluster({ proxyDatabase: true });
  const roles = ['api', 'api', 'worker', 'worker'] as const;
  const members = await Promise.all(roles.map((role) => cluster.start(role)));
  const apis = members.filter(({ role }) => role === 'api');
  const found: DatabaseFaults = { tasks: 0, answers: {}, slowestAnswerMs: 0, struck: {} };
  const tasks: string[] = [];
  let over = false;
  const client = async (number: number): Promise<void> => {
    const { key } = await cluster.account({ credits: 10_000_000 });
    for (let turn = 0; !over; turn++) {
      const api = apis[(number + turn) % apis.length] as Member;
      const fields = { action: 'translation', target_lang: 'fr', text: story(300, number * 100_000 + turn) };
      const created = await insist(found, () => create(api, key, fields, { idempotencyKey: `${number}-${turn}` }));
      const { task_id } = created.body.data;
      tasks.push(task_id);
      const other = apis[(number + turn + 1) % apis.length] as Member;
      for (let looks = 0; looks < 3; looks++) await insist(found, () => poll(other, key, task_id));
    }
  };
  const clients = Promise.all(Array.from({ length: options.clients }, (_, number) => client(number)));
  try {
    await Promise.race([strike(cluster, options, found), clients]);
  } finally {
    over = true;
  }
  await clients;
  found.tasks = tasks.length;
  await assertAllEnded(cluster, tasks);
  await assertNoneLeaked(cluster, members);
  return found;
}

async function strike(
  { databaseProxy }: FaultCluster,
  { faults, intervalMs, seed }: DatabaseFaultsOptions,
  found: DatabaseFaults,
): Promise<void> {
  const names = Object.keys(kinds);
  for (let fault = 0; fault < faults; ) {
    await sleep(seeded(seed, 'when', fault) * 2 * intervalMs);
    const lines = databaseProxy?.lines ?? [];
    const name = names[Math.floor(seeded(seed, 'which', fault) * names.length)] as string;
    const struck =
      fault % allEvery === allEvery - 1 ? lines : [lines[Math.floor(seeded(seed, 'line', fault) * lines.length)]];
    for (const line of struck) if (line) kinds[name]?.(line);
    if (struck[0] === undefined) continue;
    fault += 1;
    const shown = struck.length > 1 ? `${name}, all lines` : name;
    found.struck[shown] = (found.struck[shown] ?? 0) + 1;
  }
}

/** As a partner does: tries again after Retry-After. Every answer is a success or a 503 that says when to come back. */
async function insist(found: DatabaseFaults, send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const startedAt = performance.now();
    const answer = await Promise.race([send(), sleep(answerLimitMs, undefined, { ref: false })]);
    assert.ok(answer, `no answer within ${answerLimitMs} ms`);
    found.slowestAnswerMs = Math.max(found.slowestAnswerMs, Math.round(performance.now() - startedAt));
    found.answers[answer.status] = (found.answers[answer.status] ?? 0) + 1;
    if (answer.status < 300) return answer;
    assert.equal(answer.status, 503, answer.text);
    const retryAfter = Number(answer.headers.get('retry-after'));
    assert.ok(retryAfter >= 1, '503 says when to come back');
    await sleep(retryAfter * 1_000);
  }
}

async function assertAllEnded({ pool }: FaultCluster, tasks: readonly string[]): Promise<void> {
  const waiting = async () =>
    (await pool.query("select id, attempt, faults, stage from tasks where status = 'pending'")).rows;
  await eventually(async () => (await waiting()).length === 0, 'the end of every task');
  const { rows } = await pool.query<{ id: string; status: string }>('select id, status from tasks');
  const ended = new Map(rows.map(({ id, status }) => [id, status]));
  for (const id of tasks) assert.equal(ended.get(id), 'completed', 'every acknowledged task is there and done');
  assert.equal(rows.length, new Set(tasks).size, 'no task that nobody asked for');
}

async function assertNoneLeaked({ pool, databaseProxy }: FaultCluster, members: readonly Member[]): Promise<void> {
  const connections = async () =>
    Number(
      (
        await pool.query(
          "select count(*) as n from pg_stat_activity where datname = current_database() and application_name <> 'proof'",
        )
      ).rows[0].n,
    );
  // Ten of each process, and five more of a worker's queue.
  await eventually(async () => (await connections()) <= 4 * 10 + 2 * 5, 'connections within the pools');
  const ends = await Promise.all(members.map((member) => member.stop()));
  assert.deepEqual(new Set(ends.map(({ code }) => code)), new Set([0]), 'every process stops in order');
  await eventually(async () => (await connections()) === 0, 'no connection left');
  assert.equal(databaseProxy?.lines.length, 0);
}
