import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Turns } from '../../src/platform/turns.ts';

test('an account has so many turns at once, its others come in order, and nobody else waits for them', async () => {
  const turns = new Turns(2);
  const seen: string[] = [];
  const leave = await Promise.all([turns.take('greedy'), turns.take('greedy')]);
  const waiting = ['third', 'fourth'].map((name) => turns.run('greedy', async () => void seen.push(name)));
  await turns.run('other', async () => void seen.push('other'));
  assert.deepEqual(seen, ['other']);
  leave[0]();
  await Promise.all(waiting);
  assert.deepEqual(seen, ['other', 'third', 'fourth']);
});

test('who gives up waiting gets no turn and takes none from the next; a turn ends once', async () => {
  const turns = new Turns(1);
  const leave = await turns.take('account');
  const impatient = turns.take('account', 1);
  const patient = turns.take('account');
  assert.equal(await impatient, undefined);
  leave();
  leave();
  const mine = await patient;
  assert.equal(await turns.take('account', 1), undefined);
  mine();
  assert.ok(await turns.take('account', 1));
});

test('an account that rests after a turn waits as long as that took, and others do not', async () => {
  const turns = new Turns(1, { rests: true });
  const order: string[] = [];
  const first = turns.run('greedy', async () => {
    await sleep(50);
    order.push('first');
  });
  const second = turns.run('greedy', async () => void order.push('second'));
  await first;
  await turns.run('other', async () => void order.push('other'));
  await setImmediate();
  assert.deepEqual(order, ['first', 'other']);
  await second;
  assert.deepEqual(order, ['first', 'other', 'second']);
  await turns.run('greedy', async () => void order.push('third'));
  assert.equal(order.at(-1), 'third', 'the place is free again');
});
