import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { OwnerLimit } from '../../src/platform/owner-limit.ts';

test('an account has so many turns at once, its others come in order, and nobody else waits for them', async () => {
  const limit = new OwnerLimit(2);
  const seen: string[] = [];
  const leave = await Promise.all([limit.take('greedy'), limit.take('greedy')]);
  const waiting = ['third', 'fourth'].map((name) => limit.run('greedy', async () => void seen.push(name)));
  await limit.run('other', async () => void seen.push('other'));
  assert.deepEqual(seen, ['other']);
  leave[0]();
  await Promise.all(waiting);
  assert.deepEqual(seen, ['other', 'third', 'fourth']);
});

test('who gives up waiting gets no turn and takes none from the next; a turn ends once', async () => {
  const limit = new OwnerLimit(1);
  const leave = await limit.take('account');
  const impatient = limit.take('account', 1);
  const patient = limit.take('account');
  assert.equal(await impatient, undefined);
  leave();
  leave();
  const mine = await patient;
  assert.equal(await limit.take('account', 1), undefined);
  mine();
  assert.ok(await limit.take('account', 1));
});

test('an account that rests after a turn waits as long as that took, and others do not', async () => {
  const limit = new OwnerLimit(1, { rests: true });
  const order: string[] = [];
  const first = limit.run('greedy', async () => {
    await sleep(50);
    order.push('first');
  });
  const second = limit.run('greedy', async () => void order.push('second'));
  await first;
  await limit.run('other', async () => void order.push('other'));
  await setImmediate();
  assert.deepEqual(order, ['first', 'other']);
  await second;
  assert.deepEqual(order, ['first', 'other', 'second']);
  await limit.run('greedy', async () => void order.push('third'));
  assert.equal(order.at(-1), 'third', 'the place is free again');
});
