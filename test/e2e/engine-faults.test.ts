import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveEngineFaults } from '../support/engine-fault-proof.ts';

test('E1, short: sixty segments with 30 % faulty answers come out whole and are charged once', async () => {
  const { extraShare, faulty } = await proveEngineFaults({ segments: 60, seed: 11, timeoutMs: 60_000 });
  assert.ok(faulty > 10 && extraShare <= 0.2, `${faulty} faulty, ${extraShare} extra`);
});
