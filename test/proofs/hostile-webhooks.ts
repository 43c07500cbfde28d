/**
 * Endpoints of webhooks that misbehave cost nobody but themselves. Seven accounts have ten endpoints each that hang in six
 * ways, one account has ten that fail in other ways, and each has events all the time, more than a worker has slots for.
 * Beside them another partner's small task completes and is told to its endpoint. Every attempt ends with its verdict, and
 * no connection is left. A long run demands a p99 of at most three times the same task alone. Size: tasks of the other
 * partner in each part.
 */
import { strict as assert } from 'node:assert';
import { after, test } from 'node:test';
import { type HostileEndpoint, startFailingEndpoints, startHangingEndpoints } from '../events/hostile-endpoints.ts';
import { percentile } from '../support/lean-client.ts';
import { proofRun } from '../support/proof.ts';
import { create, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { startWorkerProcess } from '../support/toledo-process.ts';
import { localWebhooks, startWebhookReceiver } from '../support/webhook-receiver.ts';
import { eventually } from '../support/workers.ts';

const { size, isLong } = proofRun({ short: 5, long: 300 });
const hangingAccounts = 7;
const webhooksPerAccount = 10;
/** More than four a webhook, which is what may be under way to it: 280 of them at once, for 256 slots. */
const firstEvents = 5;
const allowedFactor = 3;
/** The interval at which a worker looks for deliveries. */
const pollMs = 500;

const app = await startTestApp({ role: 'api', env: localWebhooks });
const worker = await startWorkerProcess({
  ...localWebhooks,
  TOLEDO_DATA_DIR: app.dataDir,
  TOLEDO_DATABASE_URL: app.databaseUrl,
});
after(async () => {
  worker.child.kill('SIGKILL');
  await worker.exited;
});

type Account = Awaited<ReturnType<typeof app.account>>;
interface Subscription {
  account: Account;
  webhookId: string;
  endpoint: Pick<HostileEndpoint, 'name' | 'error'>;
}

const json = (body: object) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

async function subscribe(account: Account, endpoint: Omit<HostileEndpoint, 'counts'>): Promise<Subscription> {
  const order = json({ url: endpoint.url, events: ['task.completed'] });
  const { status, text, body } = await app.call('POST', '/api/v1/webhooks', { key: account.key, ...order });
  assert.equal(status, 201, text);
  return { account, endpoint, webhookId: body.data.webhook_id };
}

const estimate = { action: 'token_estimate', text: 'The lamp is lit.' };

test('beside endpoints that hang, upgrade, drip, reset and flood, a partner is served, and every attempt ends', async (context) => {
  const receiver = await startWebhookReceiver();
  const neighbour = await app.account();
  await subscribe(neighbour, { name: 'healthy', url: receiver.url, error: null });
  const measure = async () => {
    const measured: { taskMs: number[]; toldMs: number[] } = { taskMs: [], toldMs: [] };
    for (let n = 0; n < size; n++) {
      const startedAt = performance.now();
      const { task_id } = await run(app, neighbour.key, estimate);
      const endedAt = performance.now();
      const isTold = () => receiver.received.find(({ event }) => event.data.task_id === task_id);
      await eventually(async () => isTold() !== undefined, 'the webhook of the task');
      measured.taskMs.push(endedAt - startedAt);
      measured.toldMs.push(Math.max(0, (isTold()?.atMs ?? 0) - endedAt));
    }
    return measured;
  };
  const alone = await measure();

  const hanging = await startHangingEndpoints();
  const failing = await startFailingEndpoints();
  const accounts = await Promise.all(Array.from({ length: hangingAccounts + 1 }, () => app.account()));
  const subscriptions = await Promise.all(
    accounts.flatMap((account, a) =>
      Array.from({ length: webhooksPerAccount }, (_, i) => {
        const endpoints = a < hangingAccounts ? hanging : failing;
        const endpoint = endpoints[(a + i) % endpoints.length] as HostileEndpoint;
        return subscribe(account, { ...endpoint, url: `${endpoint.url}${a}/${i}` });
      }),
    ),
  );
  const attack = async ({ key }: Account) => assert.equal((await create(app, key, estimate)).status, 201);
  for (let n = 0; n < firstEvents; n++) await Promise.all(accounts.map(attack));
  const open = () => hanging.reduce((sum, { counts }) => sum + (counts?.open ?? 0), 0);
  const attacked = performance.now();
  // Some of the connections are never accepted, so nobody can count them.
  await eventually(async () => open() >= 100, 'a hundred requests that hang');
  context.diagnostic(`${open()} requests hang after ${Math.round(performance.now() - attacked)} ms`);

  const isOver = new AbortController();
  const attacks = isLong ? accounts.map((account) => attackUntil(isOver.signal, () => attack(account))) : [];
  const beside = await measure();
  isOver.abort();
  await Promise.all(attacks);
  const words = (ms: number[]) => `p50 ${percentile(ms, 0.5).toFixed(0)} ms, p99 ${percentile(ms, 0.99).toFixed(0)} ms`;
  context.diagnostic(`task: alone ${words(alone.taskMs)}; beside ${words(beside.taskMs)}`);
  context.diagnostic(`told: alone ${words(alone.toldMs)}; beside ${words(beside.toldMs)}`);
  if (isLong) {
    const limit = (ms: number[], atLeast: number) => Math.max(atLeast, percentile(ms, 0.99)) * allowedFactor;
    assert.ok(percentile(beside.taskMs, 0.99) <= limit(alone.taskMs, 0), words(beside.taskMs));
    assert.ok(percentile(beside.toldMs, 0.99) <= limit(alone.toldMs, pollMs), words(beside.toldMs));
  }

  for (const { account, webhookId, endpoint } of subscriptions) {
    const firstAttempt = async () => {
      const { body } = await app.call('GET', `/api/v1/webhooks/${webhookId}/deliveries`, { key: account.key });
      return body.data.deliveries.flatMap((delivery: { attempts: { error: string | null }[] }) => delivery.attempts)[0];
    };
    await eventually(async () => (await firstAttempt()) !== undefined, `${endpoint.name}: an attempt`);
    assert.equal((await firstAttempt()).error, endpoint.error, endpoint.name);
  }
  for (const { account, webhookId } of subscriptions) {
    const { status } = await app.call('DELETE', `/api/v1/webhooks/${webhookId}`, { key: account.key });
    assert.equal(status, 200);
  }
  for (const { name, counts } of [...hanging, ...failing]) {
    if (!counts) continue;
    await eventually(async () => counts.open === 0, `${name}: the end of every connection`);
    const webhooks = subscriptions.filter(({ endpoint }) => endpoint.name === name).length;
    assert.ok(counts.mostOpen <= 4 * webhooks, `${name}: ${counts.mostOpen} connections to ${webhooks} webhooks`);
  }
  worker.child.kill('SIGTERM');
  assert.deepEqual(await worker.exited, { code: 0, signal: null });
});

/** One event after another, each when the one before is accepted: what a key of sixty calls a minute can do, and more. */
async function attackUntil(signal: AbortSignal, attack: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await attack();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
