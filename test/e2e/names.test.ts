import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveNames } from '../support/name-proof.ts';

test('forty characters keep their names through the whole API, and the report is right about it', async () => {
  const { mentions } = await proveNames(40_000);
  assert.ok(mentions > 300, `${mentions}`);
});
