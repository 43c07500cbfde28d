import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { revokeKey } from '../../src/accounts/account-store.ts';
import { countRows } from '../support/stored.ts';
import { assertError, create, creditsOf, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const text = 'The lamp on the quay was out. Corwin lit it again.';
const request = { action: 'translation', target_lang: 'de', text };

test('a replay is the first answer byte for byte, marked as such, also when the task has ended', async () => {
  const { key } = await app.account({ credits: 1_000 });
  const send = () => create(app, key, request, { idempotencyKey: 'order 1' });
  const first = await send();
  assert.equal(first.status, 201);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  const replays = [await send()];
  await untilEnded(app, key, first.body.data.task_id);
  replays.push(await send());
  for (const replay of replays) {
    assert.equal(replay.status, 201);
    assert.equal(replay.headers.get('idempotent-replayed'), 'true');
    assert.equal(replay.text, first.text);
  }
  assert.deepEqual(await creditsOf(app, key), { balance: 1_000 - text.length, reserved: 0, used: text.length });
});

test('an inline answer is replayed byte for byte too', async () => {
  const { key } = await app.account({ credits: 1_000 });
  const send = () =>
    create(
      app,
      key,
      { action: 'glossary_extraction', target_lang: 'de', char_limit: 30, text },
      { idempotencyKey: 'g' },
    );
  const first = await send();
  assert.equal(first.body.data.status, 'completed');
  const replay = await send();
  assert.equal(replay.text, first.text);
  assert.equal(replay.headers.get('idempotent-replayed'), 'true');
});

test('the key belongs to the account: a rotated API key replays, another account is independent', async () => {
  const [one, other] = [await app.account({ credits: 1_000 }), await app.account({ credits: 1_000 })];
  const first = await create(app, one.key, request, { idempotencyKey: 'order 1' });
  const rotated = await app.newKey(one.id);
  await revokeKey(app.application.database.db, one.key.slice(0, 13));
  const replay = await create(app, rotated.key, request, { idempotencyKey: 'order 1' });
  assert.equal(replay.text, first.text);
  assert.equal(replay.headers.get('idempotent-replayed'), 'true');
  const foreign = await create(app, other.key, { ...request, target_lang: 'fr' }, { idempotencyKey: 'order 1' });
  assert.equal(foreign.status, 201);
  assert.notEqual(foreign.body.data.task_id, first.body.data.task_id);
});

test('conflict is judged before payment, and after the request itself', async () => {
  const { key } = await app.account({ credits: text.length });
  await create(app, key, request, { idempotencyKey: 'k' });
  const dearer = { ...request, text: `${text} And more.` };
  assertError(await create(app, key, dearer, { idempotencyKey: 'k' }), 409, 'IDEMPOTENCY_CONFLICT');
  assertError(await create(app, key, { ...request, char_limit: 'x' }, { idempotencyKey: 'k' }), 400, 'BAD_REQUEST');
});

test('50 duplicates during a stalled inline action: one task, one charge; the same body or "in progress", never a conflict', async () => {
  const { id } = await app.account({ credits: 10 });
  const { key } = await app.newKey(id, 'test');
  const fields = { action: 'glossary_extraction', target_lang: 'de-x-slow', char_limit: 200, text: text.repeat(5) };
  const rows = await countRows(app);
  const send = () => create(app, key, fields, { idempotencyKey: 'stalled' });
  const answers = await Promise.all(Array.from({ length: 50 }, send));
  const bodies = new Set<string>();
  for (const answer of answers) {
    if (answer.status === 201) bodies.add(answer.text);
    else {
      assertError(answer, 409, 'REQUEST_IN_PROGRESS');
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }
  }
  assert.equal(bodies.size, 1);
  assert.equal((await countRows(app))['public.tasks'], (rows['public.tasks'] ?? 0) + 1);
  const later = await send();
  assert.equal(later.text, [...bodies][0]);
  assert.equal(later.body.data.status, 'completed');
});

test('a duplicate that has waited 5 s is told to come back with the same key, never to take another', async () => {
  const { id, key } = await app.account({ credits: 1_000 });
  // The first request as the database sees it while it is being created: a claim that is not committed yet.
  const first = await app.application.database.pool.connect();
  try {
    await first.query('begin');
    await first.query(
      "insert into idempotency_keys (account_id, key, fingerprint, task_id) values ($1, 'waiting', '\\x00', 'task_0')",
      [id],
    );
    const answer = await create(app, key, request, { idempotencyKey: 'waiting' });
    assertError(answer, 409, 'REQUEST_IN_PROGRESS');
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  } finally {
    await first.query('rollback');
    first.release();
  }
  assert.equal((await create(app, key, request, { idempotencyKey: 'waiting' })).status, 201, 'nothing was stored');
});

test('a live and a sandbox key of one account may use the same Idempotency-Key: each gets a task of its own', async () => {
  const { id, key } = await app.account({ credits: 1_000 });
  const sandbox = await app.newKey(id, 'test');
  const request = { action: 'translation', target_lang: 'de', text: 'The lamp was out.' };
  const tried = await create(app, sandbox.key, request, { idempotencyKey: 'order 1' });
  const live = await create(app, key, request, { idempotencyKey: 'order 1' });
  assert.deepEqual([tried.status, live.status], [201, 201]);
  assert.notEqual(live.body.data.task_id, tried.body.data.task_id);
  assert.equal(live.headers.get('idempotent-replayed'), null);
  for (const [same, first] of [
    [sandbox.key, tried],
    [key, live],
  ] as const) {
    const again = await create(app, same, request, { idempotencyKey: 'order 1' });
    assert.equal(again.text, first.text);
  }
});

test('of creates at the same time each key makes one task, and a key that was used otherwise is a conflict for itself alone', async () => {
  const [{ key }, poor] = [await app.account({ credits: 10_000 }), await app.account({ credits: 1 })];
  await create(app, key, { ...request, target_lang: 'fr' }, { idempotencyKey: 'used' });
  const send = (idempotencyKey?: string) => create(app, key, request, { idempotencyKey });
  const same = Array.from({ length: 6 }, () => send('same'));
  const [used, unpaid] = [send('used'), create(app, poor.key, request, { idempotencyKey: 'same' })];
  const others = [...['a', 'b', 'c', 'd'].map(send), send(), send()];
  assertError(await used, 409, 'IDEMPOTENCY_CONFLICT');
  assertError(await unpaid, 402, 'PAYMENT_REQUIRED');
  const copies = await Promise.all(same);
  assert.deepEqual([...new Set(copies.map(({ status }) => status))], [201]);
  assert.equal(new Set(copies.map((copy) => copy.text)).size, 1);
  assert.equal(copies.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
  const made = await Promise.all(others);
  assert.equal(new Set([...copies, ...made].map(({ body }) => body.data.task_id)).size, 1 + others.length);
  for (const { status, headers } of made) assert.deepEqual([status, headers.get('idempotent-replayed')], [201, null]);
  assert.equal((await send('a')).text, made[0]?.text);
});

test('with a key the answer is the same as without, whatever stands in names and metadata, and tells the time of the task', async () => {
  const { key } = await app.account({ credits: 1_000 });
  const trap = '"created_at":"1970-01-01T00:00:00.000Z"';
  const metadata = { b: trap, created_at: '1970-01-01T00:00:00.000Z', a: 'x' };
  const order = { ...request, file_name: `a ${trap}.txt`, metadata };
  const [keyed, plain] = [await create(app, key, order, { idempotencyKey: 'trap' }), await create(app, key, order)];
  const ended = await untilEnded(app, key, keyed.body.data.task_id);
  assert.equal(keyed.body.data.created_at, ended.created_at);
  const { task_id, created_at } = keyed.body.data;
  assert.deepEqual(keyed.body.data, { ...plain.body.data, task_id, created_at });
  assert.deepEqual(Object.keys(keyed.body.data), Object.keys(plain.body.data));
});

for (const [way, lock] of [
  ['as an earlier release does it', ''],
  ['as this release does it', "select pg_advisory_xact_lock(hashtextextended($1::text || ' live waiting', 0))"],
] as const) {
  test(`a key that is being claimed ${way} holds up nobody else, and its request goes on when the claim is given up`, async () => {
    const { id, key } = await app.account({ credits: 10_000 });
    const first = await app.application.database.pool.connect();
    try {
      await first.query('begin');
      if (lock) await first.query(lock, [id]);
      else
        await first.query(
          "insert into idempotency_keys (account_id, key, fingerprint, task_id) values ($1, 'waiting', '\\x00', 'task_0')",
          [id],
        );
      const waiting = create(app, key, request, { idempotencyKey: 'waiting' });
      const others = ['a', 'b', undefined].map((idempotencyKey) => create(app, key, request, { idempotencyKey }));
      for (const other of await Promise.all(others)) assert.equal(other.status, 201);
      await first.query('rollback');
      const { status, headers } = await waiting;
      assert.deepEqual([status, headers.get('idempotent-replayed')], [201, null]);
    } finally {
      await first.query('rollback');
      first.release();
    }
  });
}
