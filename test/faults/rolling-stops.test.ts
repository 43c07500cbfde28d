/** Stops under load: `npm run test:rolling-stops`. A number after it: stops (50). */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proveRollingStops } from '../support/rolling-stops.ts';

const stops = Number(process.argv[2] ?? 50);

test(`${stops} times SIGTERM under load: no reset, no 5xx but 503 on new work, /readyz says so within 100 ms, exit 0 within 20 s, no attempt consumed`, async (t) => {
  const found = await proveRollingStops({ stops, clients: 8 });
  t.diagnostic(JSON.stringify(found));
  assert.ok(found.slowestNoticeMs <= 100, `/readyz: 503 after ${found.slowestNoticeMs} ms`);
  assert.ok(found.tasks >= stops);
});
