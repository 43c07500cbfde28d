import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { topUpAccount } from '../../src/operators/account-changes.ts';
import type { Answer } from '../support/api-client.ts';
import { assertError, creditsOf, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const text = 'The lamp on the quay was out.';

test('every movement is a line with the task and the external id of the partner, newest first, and they add up', async () => {
  const { id, key } = await app.account();
  await topUpAccount(app.application.database.db, 'test', id, 500, 'invoice 9');
  const fields = { action: 'translation', target_lang: 'de', estimated_chars: 100, metadata: { external_id: 'job 1' } };
  const task = await run(app, key, fields, { file: { content: text } });
  await run(app, key, { action: 'token_estimate', text });
  const { body } = await app.call('GET', '/api/v1/usage/ledger', { key });
  const of = { task_id: task.task_id, external_id: 'job 1', reference: null };
  assert.deepEqual(
    body.data.lines
      .map(({ entry_id, created_at, ...line }: { entry_id: number; created_at: string }) => line)
      .sort((a: { kind: string }, b: { kind: string }) => (a.kind < b.kind ? -1 : 1)),
    [
      { kind: 'charge', credits: text.length, ...of },
      { kind: 'hold', credits: 100, ...of },
      { kind: 'release', credits: 100 - text.length, ...of },
      { kind: 'top_up', credits: 500, task_id: null, external_id: null, reference: 'invoice 9' },
    ],
  );
  assert.equal(body.data.next_cursor, null);
  assert.deepEqual(await creditsOf(app, key), { balance: 500 - text.length, reserved: 0, used: text.length });
});

test('pages hold every line once', async () => {
  const { id, key } = await app.account();
  for (let i = 1; i <= 5; i++) await topUpAccount(app.application.database.db, 'test', id, i);
  const seen: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Answer = await app.call('GET', `/api/v1/usage/ledger?limit=2${cursor && `&cursor=${cursor}`}`, { key });
    seen.push(...page.body.data.lines.map((line: { credits: number }) => line.credits));
    cursor = page.body.data.next_cursor;
  }
  assert.deepEqual(seen, [5, 4, 3, 2, 1]);
  for (const bad of ['x', '0', '-1', '1.5', '99999999999999999', '%00']) {
    assertError(await app.call('GET', `/api/v1/usage/ledger?cursor=${bad}`, { key }), 400, 'BAD_REQUEST');
  }
});

test('sandbox keys leave no line', async () => {
  const { id, key } = await app.account({ credits: 10 });
  const sandbox = await app.newKey(id, 'test');
  const task = await run(app, sandbox.key, { action: 'translation', target_lang: 'de', text });
  assert.equal(task.status, 'completed');
  const { data } = (await app.call('GET', '/api/v1/usage/ledger', { key })).body;
  assert.deepEqual(
    data.lines.map((line: { kind: string }) => line.kind),
    ['top_up'],
  );
});

test('days hold what ended on them, of the kind of key that asks; keys are listed by prefix in the same way', async () => {
  const { id, key } = await app.account({ credits: 500 });
  const sandbox = await app.newKey(id, 'test');
  const order = { action: 'translation', target_lang: 'de', text };
  await run(app, key, order);
  await run(app, sandbox.key, order);
  await run(app, sandbox.key, order);
  const today = async (as: string) => {
    const { days } = (await app.call('GET', '/api/v1/usage/days?days=7', { key: as })).body.data;
    assert.equal(days.length, 7);
    return days.at(-1);
  };
  const { day, ...live } = await today(key);
  assert.match(day, /^\d{4}-\d\d-\d\d$/);
  const none = { failed: 0, cancelled: 0 };
  assert.deepEqual(live, { completed: 1, ...none, characters: text.length, credits: text.length });
  assert.deepEqual(await today(sandbox.key), { day, completed: 2, ...none, characters: 2 * text.length, credits: 0 });
  assertError(await app.call('GET', '/api/v1/usage/days?days=93', { key }), 400, 'BAD_REQUEST');
  for (const [as, mode] of [
    [key, 'live'],
    [sandbox.key, 'test'],
  ] as const) {
    const { keys } = (await app.call('GET', '/api/v1/keys', { key: as })).body.data;
    const [only, ...others] = keys.map(({ created_at, last_used_at, ...rest }: Record<string, unknown>) => rest);
    assert.deepEqual(only, { prefix: as.slice(0, 13), mode, current: true, revoked_at: null });
    assert.equal(others.length, 0);
  }
});
