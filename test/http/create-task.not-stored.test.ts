/** Refusals leave an Idempotency-Key free: what was refused may be tried again under the same key. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createLog } from '../../src/platform/log.ts';
import { FileStorage } from '../../src/platform/storage/file-storage.ts';
import { sweep } from '../../src/tasks/sweeper.ts';
import { countRows } from '../support/stored.ts';
import { assertError, create } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ role: 'api', env: { TOLEDO_MAX_FILE_BYTES: '5000', TOLEDO_LOG_LEVEL: 'silent' } });
const good = { action: 'translation', target_lang: 'de', text: 'The lamp on the quay was out.' };
const path = '/api/v1/tasks';

test('400, 401, 413, 415, 429 and 500 are not stored: the same key then makes its first task', async () => {
  const { id, key } = await app.account({ credits: 10_000, rateLimitPerMinute: 1 });
  const wide = (await app.newKey(id)).key;
  const { pool } = app.application.database;
  await pool.query('update accounts set rate_limit_per_minute = 100000 where id = $1', [id]);
  const before = (await countRows(app))['public.idempotency_keys'] ?? 0;
  const headers = (name: string) => ({ 'idempotency-key': name, 'content-type': 'application/json' });

  assertError(await create(app, wide, { ...good, target_lang: 'xx' }, { idempotencyKey: 'bad' }), 400, 'BAD_REQUEST');
  const stranger = `${wide.slice(0, -1)}${wide.endsWith('a') ? 'b' : 'a'}`;
  assertError(await create(app, stranger, good, { idempotencyKey: 'unknown' }), 401, 'UNAUTHORIZED');
  const large = { file: { content: 'x'.repeat(6_000) }, idempotencyKey: 'large' };
  assertError(
    await create(app, wide, { action: 'translation', target_lang: 'de', char_limit: 10 }, large),
    413,
    'PAYLOAD_TOO_LARGE',
  );
  const odd = { key: wide, headers: { ...headers('odd'), 'content-type': 'text/csv' }, body: 'a,b' };
  assertError(await app.call('POST', path, odd), 415, 'UNSUPPORTED_MEDIA_TYPE');
  await pool.query('alter table tasks rename to tasks_away');
  try {
    assertError(await create(app, wide, good, { idempotencyKey: 'broken' }), 500, 'INTERNAL');
  } finally {
    await pool.query('alter table tasks_away rename to tasks');
  }
  await pool.query('update accounts set rate_limit_per_minute = 1 where id = $1', [id]);
  const hurried = async () => create(app, key, good, { idempotencyKey: 'hurried' });
  await app.call('GET', '/api/v1/usage', { key });
  assertError(await hurried(), 429, 'RATE_LIMITED');
  await pool.query('update accounts set rate_limit_per_minute = 100000 where id = $1', [id]);

  assert.equal((await countRows(app))['public.idempotency_keys'] ?? 0, before, 'nothing was stored');
  for (const idempotencyKey of ['bad', 'unknown', 'large', 'odd', 'broken', 'hurried']) {
    const created = await create(app, wide, good, { idempotencyKey });
    assert.equal(created.status, 201, `${idempotencyKey}: ${created.text}`);
    assert.equal(created.headers.get('idempotent-replayed'), null, idempotencyKey);
  }
});

test('a clean-up that fails spoils neither a replay nor a 402, and the sweeper does it later', async () => {
  const { key } = await app.account({ credits: 30_000 });
  const { db, pool } = app.application.database;
  const idempotencyKey = 'with a clean-up';
  // A small text would leave nothing to clean up.
  const large = { ...good, text: 'The lamp was out. '.repeat(1_000) };
  const first = await create(app, key, large, { idempotencyKey });
  assert.equal(first.status, 201, first.text);
  // Refuses to forget a source that came to no task: the last step of every clean-up.
  await pool.query(`create function refuse_to_forget() returns trigger language plpgsql as $$ begin
    if not exists (select from tasks where id = old.task_id) then raise exception 'not now'; end if;
    return old; end $$`);
  await pool.query(
    'create trigger refuse_to_forget before delete on loose_objects for each row execute function refuse_to_forget()',
  );
  const left = async () => (await pool.query('select key from loose_objects')).rows.length;
  const before = await left();
  try {
    const replayed = await create(app, key, large, { idempotencyKey });
    assert.deepEqual([replayed.status, replayed.text], [201, first.text]);
    assertError(await create(app, key, { ...good, text: 'x'.repeat(20_000) }), 402, 'PAYMENT_REQUIRED');
    assert.equal(await left(), before + 2, 'both clean-ups were tried and failed');
  } finally {
    await pool.query('drop function refuse_to_forget cascade');
  }
  const storage = await FileStorage.open(`${app.dataDir}/files`);
  const tomorrow = new Date(Date.now() + 86_400_000);
  await sweep({ db, storage, retentionDays: 30, log: createLog('silent') }, tomorrow);
  assert.equal(await left(), 0);
});
