/** kill -9 of the whole service and of its database: `npm run test:service-kills`. Numbers after it: kills of each (50), seed. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proveServiceKills } from '../support/service-kills.ts';

const kills = Number(process.argv[2] ?? 50);
const seed = Number(process.argv[3] ?? 13);

test(`${kills} times kill -9 of the service and of its database under load: ready within 10 s, every acknowledged task there, every page intact`, async (t) => {
  const startedAt = performance.now();
  const { readyMs, ...found } = await proveServiceKills({ kills, clients: 4, seed });
  const slowest = { service: Math.max(...readyMs.service), database: Math.max(...readyMs.database) };
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1];
  const medians = { service: median(readyMs.service), database: median(readyMs.database) };
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  t.diagnostic(
    `seed ${seed}: ${JSON.stringify(found)}, ready after ${JSON.stringify(medians)} ms (median), ${JSON.stringify(slowest)} ms (slowest), in ${seconds} s`,
  );
  assert.ok(Math.max(...Object.values(slowest)) <= 10_000, 'ready within 10 s');
  assert.ok(found.acknowledged >= kills * 4, 'the load was real');
});
