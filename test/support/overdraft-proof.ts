import { strict as assert } from 'node:assert';
import { create } from './task-client.ts';
import type { TestApp } from './test-app.ts';

const price = 60;

/** Many creates at once on a balance that covers only some of them: the count is exact, and no instant is overdrawn. */
export async function proveNoOverdraft(
  app: TestApp,
  options: { creates: number; affordable: number; sockets: number },
): Promise<{ seconds: number; samples: number }> {
  const { creates, affordable, sockets } = options;
  const { id, key } = await app.account({ credits: affordable * price + price - 1, rateLimitPerMinute: 100_000 });
  const { pool } = app.application.database;
  let running = true;
  let samples = 0;
  const sampling = (async () => {
    while (running) {
      const { rows } = await pool.query<Record<string, number>>(
        'select available, reserved, spent, granted from credit_balances where account_id = $1',
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
  const client = async () => {
    for (const i of orders) {
      const request = { action: 'translation', target_lang: 'de', text: 'y'.repeat(price) };
      const { status } = await create(app, key, request, { idempotencyKey: `order ${i}` });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: sockets }, client));
  running = false;
  await sampling;
  assert.deepEqual(statuses, { 201: affordable, 402: creates - affordable });
  return { seconds: Math.round(performance.now() - started) / 1000, samples };
}
