/** The short form of `npm run test:worker-kills`. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proveWorkerKills } from '../support/worker-kills.ts';

test('kill -9 of a worker in the middle of a book: nothing lost, repeated or charged twice, the same bytes', async () => {
  const proof = await proveWorkerKills({ kills: 1, workers: 1, booksAtOnce: 1, charactersPerBook: 4_000, seed: 7 });
  assert.ok(proof.interruptions >= 1);
});
