import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WeightGate } from '../../src/books/weight-gate.ts';

const never = new AbortController().signal;

test('what runs at once weighs no more than the gate allows, in the order it came; what is too heavy runs alone', async () => {
  const gate = new WeightGate(10);
  const order: string[] = [];
  let inside = 0;
  let most = 0;
  const pass = (name: string, weight: number) =>
    gate.pass(weight, never, async () => {
      order.push(name);
      inside += Math.min(weight, 10);
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= Math.min(weight, 10);
    });
  await Promise.all([pass('a', 6), pass('b', 6), pass('c', 1), pass('heavy', 50), pass('d', 2)]);
  assert.deepEqual(order, ['a', 'b', 'c', 'heavy', 'd']);
  assert.ok(most <= 10);
});

test('one that gives up waiting lets the next one in, and a failure gives its weight back', async () => {
  const gate = new WeightGate(10);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const first = gate.pass(8, never, () => end);
  const controller = new AbortController();
  const second = gate.pass(9, controller.signal, async () => 'second');
  const third = gate.pass(2, never, async () => 'third');
  controller.abort(new Error('gone'));
  await assert.rejects(second, /gone/);
  assert.equal(await third, 'third');
  await assert.rejects(
    gate.pass(2, never, async () => Promise.reject(new Error('failed'))),
    /failed/,
  );
  resolve();
  await first;
  assert.equal(await gate.pass(10, never, async () => 'all'), 'all');
});
