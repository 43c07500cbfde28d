import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { topUp } from '../../src/credits/top-up.ts';
import { countRows, listFiles } from '../support/stored.ts';
import { assertError, create, creditsOf } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

// Without a worker: what is held stays held, so the figures are exact.
const app = await startTestApp({ role: 'api' });
const text = 'x'.repeat(101);

test('one credit too few: the answer tells both figures, and nothing is created, held or kept', async () => {
  const { key } = await app.account({ credits: 100 });
  const [rows, files] = [await countRows(app), await listFiles(app)];
  const answers = await Promise.all([
    create(app, key, { action: 'translation', target_lang: 'de', text }, { idempotencyKey: 'too dear' }),
    create(app, key, { action: 'preview_translation', target_lang: 'de', text }),
    create(app, key, { action: 'glossary_extraction', target_lang: 'de', text }),
    create(
      app,
      key,
      { action: 'translation', target_lang: 'de', estimated_chars: 101 },
      { file: { content: 'short' } },
    ),
  ]);
  for (const answer of answers) {
    assertError(answer, 402, 'PAYMENT_REQUIRED');
    assert.deepEqual(answer.body.error.details, { required_credits: 101, balance_credits: 100 });
  }
  const vast = { action: 'translation', target_lang: 'de', estimated_chars: '999999999999999' };
  assertError(await create(app, key, vast, { file: { content: 'short' } }), 402, 'PAYMENT_REQUIRED');
  assert.deepEqual(await countRows(app), rows);
  assert.deepEqual(await listFiles(app), files);
  assert.deepEqual(await creditsOf(app, key), { balance: 100, reserved: 0, used: 0 });
});

test('a lower char_limit fits; after a top-up the same key succeeds with the same request', async () => {
  const { id, key } = await app.account({ credits: 100 });
  const request = { action: 'translation', target_lang: 'de', text };
  const send = () => create(app, key, request, { idempotencyKey: 'order 7' });
  assertError(await send(), 402, 'PAYMENT_REQUIRED');
  const lower = await create(app, key, { ...request, char_limit: 100 });
  assert.equal(lower.status, 201);
  assert.equal((await creditsOf(app, key)).balance, 0);
  await topUp(app.application.database.db, id, 101);
  const paid = await send();
  assert.equal(paid.status, 201);
  assert.equal(paid.headers.get('idempotent-replayed'), null);
  assert.equal((await creditsOf(app, key)).balance, 0);
});

test('500 simultaneous creates on one balance: exactly as many succeed as it covers, and it is never overdrawn', async () => {
  const { id, key } = await app.account({ credits: 123 * 60 + 59 });
  const { pool } = app.application.database;
  let running = true;
  const sampling = (async () => {
    let lowest = Number.POSITIVE_INFINITY;
    while (running) {
      const { rows } = await pool.query(
        'select available::int, reserved::int, spent::int, granted::int from credit_balances where account_id = $1',
        [id],
      );
      lowest = Math.min(lowest, rows[0].available);
      assert.equal(rows[0].available + rows[0].reserved + rows[0].spent, rows[0].granted);
    }
    return lowest;
  })();
  const statuses = new Map<number, number>();
  const orders = Array.from({ length: 500 }, (_, i) => i).values();
  const client = async () => {
    for (const i of orders) {
      // Another language each time: work that is not the same as any before.
      const body = {
        action: 'translation',
        target_lang: ['de', 'fr', 'es', 'it', 'ja'][i % 5] as string,
        text: 'y'.repeat(60),
      };
      const { status } = await create(app, key, body, { idempotencyKey: `order ${i}` });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 32 }, client));
  running = false;
  assert.ok((await sampling) >= 0);
  assert.deepEqual(Object.fromEntries(statuses), { 201: 123, 402: 377 });
});
