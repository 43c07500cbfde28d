/**
 * kill -9 of workers: `npm run test:worker-kills`. Numbers after it: kills (200), seed.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proveWorkerKills } from '../support/worker-kills.ts';

const kills = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? 51);

test(`${kills} times kill -9 of a worker in the middle of books of 300 segments: nothing lost, repeated, reordered or charged twice, the same bytes`, async (t) => {
  const startedAt = performance.now();
  const proof = await proveWorkerKills({ kills, workers: 3, booksAtOnce: 4, charactersPerBook: 34_600, seed });
  t.diagnostic(`seed ${seed}: ${JSON.stringify(proof)} in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  assert.ok(proof.segments >= 290 * proof.books);
  assert.ok(proof.interruptions >= kills / 2, 'the kills hit workers that were working');
});
