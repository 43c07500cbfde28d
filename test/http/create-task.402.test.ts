import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { topUpAccount } from '../../src/operators/account-changes.ts';
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
  await topUpAccount(app.application.database.db, 'test', id, 101);
  const paid = await send();
  assert.equal(paid.status, 201);
  assert.equal(paid.headers.get('idempotent-replayed'), null);
  assert.equal((await creditsOf(app, key)).balance, 0);
});
