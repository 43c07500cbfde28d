import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { updateAccount } from '../../src/accounts/account-store.ts';
import { sweepEvents } from '../../src/events/event-upkeep.ts';
import { recordEvent } from '../../src/events/record-event.ts';
import { assertError, create, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const { db, pool } = app.application.database;
const { queue } = app.application;

const feed = async (key: string, query = '') => {
  const answer = await app.call('GET', `/api/v1/events${query}`, { key });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
};

test('every end of a task is an event with the task as its data, in order, without the text of the book', async () => {
  const { key } = await app.account({ credits: 1_000 });
  const empty = await feed(key);
  assert.deepEqual(empty.events, []);
  assert.match(empty.next_after, /^evt_0{26}$/);
  const translated = await run(app, key, { action: 'translation', target_lang: 'de', text: 'The lamp was out.' });
  const glossary = await run(app, key, {
    action: 'glossary_extraction',
    target_lang: 'de',
    text: 'Anna saw Anna and Anna.',
  });
  const { events, next_after } = await feed(key, `?after=${empty.next_after}`);
  assert.deepEqual(
    events.map((event: { type: string; data: { task_id: string } }) => [event.type, event.data.task_id]),
    [
      ['task.completed', translated.task_id],
      ['task.completed', glossary.task_id],
    ],
  );
  assert.deepEqual(events[0].data, translated, 'the view that polling shows');
  assert.equal(events[1].data.terms, undefined);
  assert.equal(next_after, events[1].id);
  assert.deepEqual(await feed(key, `?after=${next_after}`), { events: [], next_after });
  assert.deepEqual((await feed(key, '?limit=1')).events, [events[0]]);
  assert.deepEqual((await feed(key, `?limit=1&after=${events[0].id}`)).events, [events[1]]);
  assert.deepEqual(await feed(key, '?after=latest'), { events: [], next_after });
  assert.ok(events[0].id < events[1].id, 'ids sort in the order of the feed');
});

test('cancelling and deleting are told once; a refused cancel is not told', async () => {
  const idle = await startTestApp({ role: 'api' });
  const { key } = await idle.account({ credits: 1_000 });
  const ids: string[] = [];
  for (const end of ['cancel', 'delete']) {
    const created = await create(idle, key, { action: 'translation', target_lang: 'de', text: `Chapter ${end}` });
    const path = `/api/v1/tasks/${created.body.data.task_id}`;
    ids.push(created.body.data.task_id);
    await (end === 'cancel' ? idle.call('POST', `${path}/cancel`, { key }) : idle.call('DELETE', path, { key }));
    assertError(await idle.call('POST', `${path}/cancel`, { key }), 409, 'TASK_NOT_CANCELLABLE');
  }
  const { events } = (await idle.call('GET', '/api/v1/events', { key })).body.data;
  assert.deepEqual(
    events.map((event: { type: string; data: { task_id: string } }) => [event.type, event.data.task_id]),
    ids.map((id) => ['task.cancelled', id]),
  );
});

test('a filtered feed moves on past what it does not show', async () => {
  const { key } = await app.account({ credits: 1_000 });
  await run(app, key, { action: 'token_estimate', text: 'One. Two.' });
  const page = await feed(key, '?types=task.failed,balance.low');
  assert.deepEqual(page.events, []);
  assert.equal(page.next_after, (await feed(key)).events[0].id);
});

test('the balance is told to be low once per crossing of the threshold', async () => {
  const { id, key } = await app.account({ credits: 100 });
  await updateAccount(db, id, { lowBalanceCredits: 60 });
  const translate = (characters: number) =>
    run(app, key, { action: 'translation', target_lang: 'de', text: 'b'.repeat(characters) });
  await translate(30);
  assert.deepEqual((await feed(key, '?types=balance.low')).events, []);
  await translate(20);
  await translate(10);
  const { events } = await feed(key, '?types=balance.low');
  assert.deepEqual(
    events.map(({ data }: { data: object }) => data),
    [{ balance_credits: 50, low_balance_credits: 60 }],
  );
});

test('an event that is committed late is never passed: the one that comes second waits for the first', async () => {
  const { id, key } = await app.account();
  const tell = (place: string) => ({
    accountId: id,
    sandbox: false,
    type: 'webhook.disabled' as const,
    data: { place },
  });
  const first = Promise.withResolvers<void>();
  const wrote = Promise.withResolvers<void>();
  const slow = db.transaction().execute(async (trx) => {
    await recordEvent(trx, queue, tell('first'));
    wrote.resolve();
    await first.promise;
  });
  await wrote.promise;
  // Begun later and ready to commit earlier: without the lock on the feed it would be seen before the first.
  const fast = db.transaction().execute((trx) => recordEvent(trx, queue, tell('second')));
  const seen: string[] = [];
  let after = (await feed(key)).next_after;
  const read = async () => {
    const page = await feed(key, `?after=${after}`);
    after = page.next_after;
    seen.push(...page.events.map(({ data }: { data: { place: string } }) => data.place));
  };
  await read();
  const waiting = await pool.query(
    `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  assert.ok(seen.length === 0 && waiting.rows[0].n <= 1);
  first.resolve();
  await Promise.all([slow, fast]);
  await read();
  assert.deepEqual(seen, ['first', 'second']);
});

test('readers that follow many writers at once see every event once, in one order', async () => {
  const { id, key } = await app.account();
  const writers = 8;
  const each = 25;
  let over = false;
  const write = async (writer: number) => {
    for (let n = 0; n < each; n++) {
      await db
        .transaction()
        .execute(async (trx) => {
          const data = { at: `${writer}.${n}` };
          await recordEvent(trx, queue, { accountId: id, sandbox: false, type: 'webhook.disabled', data });
          // Some transactions are given up after they have written.
          if (n % 5 === 4) throw new Error('given up');
        })
        .catch((error) => assert.match(String(error), /given up/));
    }
  };
  const follow = async () => {
    const seen: string[] = [];
    for (let after = '', last = false; ; ) {
      const page = await feed(key, `?limit=7${after === '' ? '' : `&after=${after}`}`);
      after = page.next_after;
      seen.push(...page.events.map(({ data }: { data: { at: string } }) => data.at));
      if (last && page.events.length === 0) return seen;
      last = over;
    }
  };
  const readers = Promise.all([follow(), follow(), follow()]);
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  over = true;
  const [one, two, three] = await readers;
  assert.equal(one?.length, writers * each * 0.8);
  assert.equal(new Set(one).size, one?.length);
  assert.deepEqual(two, one);
  assert.deepEqual(three, one);
});

test('a cursor stays good when its event is gone, and one of another account or of nobody is 400', async () => {
  const { id, key } = await app.account({ credits: 100 });
  const other = await app.account({ credits: 100 });
  await run(app, key, { action: 'token_estimate', text: 'One.' });
  await run(app, other.key, { action: 'token_estimate', text: 'Two.' });
  const { next_after } = await feed(key);
  const foreign = (await feed(other.key)).next_after;
  for (const after of [foreign, 'evt_1', 'x', '%00', `evt_${'z'.repeat(26)}`, `evt_${'u'.repeat(26)}`]) {
    const answer = await app.call('GET', `/api/v1/events?after=${after}`, { key });
    assertError(answer, 400, 'BAD_REQUEST', { field: 'after', reason: 'UNKNOWN_EVENT' }, after);
  }
  const unknown = await app.call('GET', '/api/v1/events?types=task.completed,tasks.done', { key });
  assertError(unknown, 400, 'BAD_REQUEST', { field: 'types', reason: 'UNKNOWN_VALUE' });
  await pool.query(`update events set created_at = now() - interval '31 days' where account_id = $1`, [id]);
  await sweepEvents(db);
  assert.deepEqual(await feed(key), { events: [], next_after: `evt_${'0'.repeat(26)}` });
  // The audit asks for events of the last 29 days only.
  await pool.query(`alter table tasks disable trigger tasks_guard`);
  await pool.query(
    `update tasks set created_at = created_at - interval '31 days', ended_at = ended_at - interval '31 days' where account_id = $1`,
    [id],
  );
  await pool.query(`alter table tasks enable trigger tasks_guard`);
  await run(app, key, { action: 'token_estimate', text: 'Three.' });
  assert.equal((await feed(key, `?after=${next_after}`)).events.length, 1);
});
