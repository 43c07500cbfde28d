/** Workers that wake up too late: `npm run test:stale-writes`. Numbers after it: rounds (50), seed. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proveNoStaleWrites } from '../support/stale-writes.ts';

const rounds = Number(process.argv[2] ?? 50);
const seed = Number(process.argv[3] ?? 5);

test(`${rounds} times SIGSTOP of a worker past its lease, takeover, SIGCONT: not one stale write is accepted`, async (t) => {
  const startedAt = performance.now();
  const found = await proveNoStaleWrites({ rounds, seed });
  t.diagnostic(`seed ${seed}: ${JSON.stringify(found)} in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  assert.ok(found.takeovers >= rounds, 'every stop led to a takeover');
});
