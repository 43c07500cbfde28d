/**
 * Hostile endpoints do not delay the deliveries to a healthy one: the time from the commit of an event to its request is measured
 * alone and then beside endpoints that hang, drip, redirect, close, flood and talk nonsense, each with events of its own all the
 * time. Size: deliveries to the healthy endpoint in each part.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordEvent } from '../../src/events/record-event.ts';
import { startHostileEndpoints } from '../events/hostile-endpoints.ts';
import { percentile } from '../support/lean-client.ts';
import { proofRun } from '../support/proof.ts';
import { startTestApp } from '../support/test-app.ts';
import { localWebhooks, startWebhookReceiver } from '../support/webhook-receiver.ts';

const { size, isLong } = proofRun({ short: 20, long: 500 });
/** Of the p99 alone; a short run has too few deliveries for a p99, and its machine other work. */
const allowedFactor = isLong ? 2 : 10;
/** Below this a delay is the poll of the queue and the noise of the machine. */
const smallestMs = 500;
const app = await startTestApp({ env: localWebhooks });
const { database, queue } = app.application;

async function subscribe(url: string, account: { key: string }): Promise<void> {
  const { status, text } = await app.call('POST', '/api/v1/webhooks', {
    key: account.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url, events: ['task.completed'] }),
  });
  assert.equal(status, 201, text);
}

const tell = (accountId: string, number: number) =>
  database.db
    .transaction()
    .execute((trx) => recordEvent(trx, queue, { accountId, type: 'task.completed', data: { number } }));

test(`p99 of ${size} deliveries beside hostile endpoints is about what it is alone`, async (context) => {
  const receiver = await startWebhookReceiver();
  const healthy = await app.account();
  await subscribe(receiver.url, healthy);
  const measure = async (from: number) => {
    const told = new Map<number, number>();
    for (let number = from; number < from + size; number++) {
      await tell(healthy.id, number);
      told.set(number, performance.now());
      await sleep(50);
    }
    const received = await receiver.until(from + size, 60_000);
    const delays = received.slice(from).map(({ event, atMs }) => atMs - (told.get(event.data.number) ?? 0));
    return { p50: percentile(delays, 0.5), p99: percentile(delays, 0.99) };
  };
  const alone = await measure(0);
  const hostile = await startHostileEndpoints('http://127.0.0.1:1/');
  for (const { port } of Object.values(hostile)) {
    const owner = await app.account();
    await subscribe(`http://127.0.0.1:${port}/`, owner);
    for (let n = 0; n < 20; n++) await tell(owner.id, n);
  }
  const beside = await measure(size);
  const words = ({ p50, p99 }: { p50: number; p99: number }) => `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`;
  context.diagnostic(`alone ${words(alone)}; beside ${words(beside)}`);
  assert.ok(beside.p99 <= Math.max(smallestMs, alone.p99) * allowedFactor, words(beside));
  for (const [name, { counts }] of Object.entries(hostile)) {
    assert.ok(counts.connections > 0, name);
    assert.ok(counts.mostOpen <= 4, `${name}: ${counts.mostOpen} connections at a time`);
  }
});
