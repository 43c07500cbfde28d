import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { create } from './task-client.ts';
import type { TestApp } from './test-app.ts';

const price = 60;

/** Many creates at once on a balance that covers only some of them: the count is exact, and no instant is overdrawn. */
export async function proveNoOverdraft(
  app: TestApp,
  options: { creates: number; affordable: number; sockets: number },
): Promise<{ seconds: number; samples: number; refused: number }> {
  const { creates, affordable, sockets } = options;
  const { id, key } = await app.account({ credits: affordable * price + price - 1, rateLimitPerMinute: 100_000 });
  // A connection of its own: the application's are what is being fought over.
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  let refused = 0;
  let running = true;
  let samples = 0;
  const sampling = (async () => {
    while (running) {
      const { rows } = await client.query<Record<string, number>>(
        'select available::float8, reserved::float8, spent::float8, granted::float8 from credit_balances where account_id = $1',
        [id],
      );
      const { available = -1, reserved = -1, spent = -1, granted } = rows[0] ?? {};
      assert.ok(available >= 0 && reserved >= 0, JSON.stringify(rows[0]));
      assert.equal(available + reserved + spent, granted);
      samples += 1;
    }
  })();
  const started = performance.now();
  const statuses: Record<string, number> = {};
  const orders = Array.from({ length: creates }, (_, i) => i).values();
  const sender = async () => {
    for (const i of orders) {
      const request = { action: 'translation', target_lang: 'de', text: 'y'.repeat(price) };
      const send = () => create(app, key, request, { idempotencyKey: `order ${i}` });
      let answer = await send();
      for (let tries = 0; tries < 10 && answer.status === 503; tries++) {
        refused += 1;
        await sleep(Number(answer.headers.get('retry-after')) * 1000);
        answer = await send();
      }
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: sockets }, sender));
  running = false;
  await sampling;
  await client.end();
  assert.deepEqual(statuses, { 201: affordable, 402: creates - affordable });
  return { seconds: Math.round(performance.now() - started) / 1000, samples, refused };
}
