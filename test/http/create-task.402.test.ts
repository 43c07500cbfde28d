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

test('of creates at the same time as many are made as the credits cover, and the others hold up no neighbour', async () => {
  const [rich, poor, neighbour] = await Promise.all([1_010, 303, 101].map((credits) => app.account({ credits })));
  const jobs = async (accountId = '') =>
    (
      await app.application.database.pool.query(
        'select -j.priority as ahead from tasks t join pgboss.job j on j.id = t.job_id where t.account_id = $1 order by 1',
        [accountId],
      )
    ).rows.map(({ ahead }) => ahead);
  const orders = [...Array(10).fill(rich), ...Array(10).fill(poor), neighbour];
  const answers = await Promise.all(
    orders.map(({ key }) => create(app, key, { action: 'translation', target_lang: 'de', text })),
  );
  const statuses = answers.map(({ status }) => status);
  const [made, refused] = [201, 402].map((status) => statuses.slice(10, 20).filter((one) => one === status).length);
  assert.deepEqual([statuses.slice(0, 10), made, refused, statuses[20]], [Array(10).fill(201), 3, 7, 201]);
  assert.deepEqual(await creditsOf(app, rich?.key ?? ''), { balance: 0, reserved: 1_010, used: 0 });
  assert.deepEqual(await creditsOf(app, poor?.key ?? ''), { balance: 0, reserved: 303, used: 0 });
  // Their places in the queue are those of creates one after the other.
  assert.deepEqual([await jobs(rich?.id), await jobs(neighbour?.id)], [Array.from({ length: 10 }, (_, n) => n), [0]]);
});
