/**
 * Tasks end on several workers that are killed at random: each end has exactly one event, the feed of everybody has one order that
 * never changes, and every event reaches a healthy endpoint at least once. Size: tasks.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Member, startFaultCluster } from '../support/fault-cluster.ts';
import { proofRun } from '../support/proof.ts';
import { seeded } from '../support/simulated-llm/random.ts';
import { create } from '../support/task-client.ts';
import { localWebhooks, startWebhookReceiver } from '../support/webhook-receiver.ts';
import { eventually } from '../support/workers.ts';

const { size: tasks, seed, isLong } = proofRun({ short: 40, long: 10_000 });
const workerCount = isLong ? 4 : 2;
// A worker that is killed as soon as it is there ends nothing: on a slow machine the short size would go on for ever.
const mostKills = isLong ? Number.POSITIVE_INFINITY : 6;
const partners = 4;

test(`${tasks} tasks end on ${workerCount} workers under kill -9: one event each, delivered and in one order`, async (t) => {
  const cluster = await startFaultCluster({ env: localWebhooks });
  await cluster.setLeaseSeconds(3);
  const api = await cluster.start('api');
  const workers = await Promise.all(Array.from({ length: workerCount }, () => cluster.start('worker')));
  const receiver = await startWebhookReceiver();
  const accounts = await Promise.all(
    Array.from({ length: partners }, () => cluster.account({ credits: 100_000_000, rateLimitPerMinute: 100_000 })),
  );
  for (const { key } of accounts) {
    const body = JSON.stringify({ url: receiver.url, events: ['task.completed', 'task.failed', 'task.cancelled'] });
    const made = await api.call('POST', '/api/v1/webhooks', {
      key,
      body,
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(made.status, 201, made.text);
  }
  let over = false;
  let kills = 0;
  const killing = killNowAndThen(
    cluster.start,
    workers,
    () => over,
    () => kills++,
  );
  const orders = Array.from({ length: tasks }, (_, i) => i).values();
  const client = async () => {
    for (const i of orders) {
      const { key } = accounts[i % partners] as { key: string };
      const fields: Record<string, string> =
        i % 3 === 0 ? { action: 'translation', target_lang: 'de' } : { action: 'token_estimate' };
      const created = await create(api, key, { ...fields, text: `The lamp of room ${i} was out.` });
      assert.equal(created.status, 201, created.text);
      if (i % 7 === 0) await api.call('POST', `/api/v1/tasks/${created.body.data.task_id}/cancel`, { key });
    }
  };
  // A reader that follows one account all the while must see what a reader sees who comes at the end.
  const followed: string[] = [];
  const follow = async () => {
    for (let after = '', last = false; ; await sleep(50)) {
      const page = await read(api, accounts[0]?.key ?? '', after);
      after = page.next_after;
      followed.push(...page.events.map(({ id }: { id: string }) => id));
      if (last && page.events.length === 0) return;
      last = over;
    }
  };
  const following = follow();
  await Promise.all(Array.from({ length: 8 }, client));
  const count = async (what: string) =>
    Number((await cluster.pool.query(`select count(*) as n from ${what}`)).rows[0].n);
  await eventually(async () => (await count("tasks where status = 'pending'")) === 0, 'all ended');
  over = true;
  await killing;
  await following;
  const { rows: wrong } = await cluster.pool.query(
    `select t.id, t.status, count(e.id) as events from tasks t
     left join events e on e.task_id = t.id and e.type = 'task.' || t.status and e.type <> 'task.chapter_ready'
     group by t.id having count(e.id) <> 1`,
  );
  assert.deepEqual(wrong, [], 'exactly one event per end');
  assert.equal(await count("events where type <> 'task.chapter_ready'"), tasks);
  const all: string[] = [];
  for (let after = ''; ; ) {
    const page = await read(api, accounts[0]?.key ?? '', after);
    all.push(...page.events.map(({ id }: { id: string }) => id));
    if (page.events.length === 0) break;
    after = page.next_after;
  }
  assert.deepEqual(followed, all, 'the order never changes');
  const arrived = () => new Set(receiver.received.map(({ event }) => event.id as string)).size;
  await eventually(async () => arrived() === tasks, 'every event delivered');
  await eventually(async () => (await count("webhook_deliveries where status <> 'delivered'")) === 0, 'noted');
  assert.ok(receiver.mostAtOnce <= 4 * partners, `${receiver.mostAtOnce} at once`);
  t.diagnostic(`${kills} kills, ${receiver.received.length} requests for ${tasks} events, ${followed.length} followed`);
});

async function read(api: Member, key: string, after: string) {
  const answer = await api.call('GET', `/api/v1/events?limit=100${after === '' ? '' : `&after=${after}`}`, { key });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

/** One at a time: a new one is there before the next dies. */
async function killNowAndThen(
  start: (role: 'worker') => Promise<Member>,
  workers: Member[],
  isOver: () => boolean,
  onKill: () => void,
): Promise<void> {
  for (let kill = 0; kill < mostKills && !isOver(); kill++) {
    await sleep(500 + seeded(seed, 'moment', kill) * 1_500);
    const victim = Math.floor(seeded(seed, 'victim', kill) * workers.length);
    await workers[victim]?.kill();
    onKill();
    workers[victim] = await start('worker');
  }
}
