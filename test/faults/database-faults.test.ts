/** Broken lines to the database: `npm run test:database-faults`. Numbers after it: faults (200), seed. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proveDatabaseFaults } from '../support/database-faults.ts';

const faults = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? 29);

test(`${faults} broken lines to the database: nothing but 2xx and 503 with Retry-After, no connection leaked, no task stuck`, async (t) => {
  const startedAt = performance.now();
  const found = await proveDatabaseFaults({ faults, intervalMs: 1_200, clients: 4, seed });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  t.diagnostic(`seed ${seed}: ${JSON.stringify(found)} in ${seconds} s`);
  assert.ok(found.tasks >= faults / 4, 'the partners were at work');
});
