import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { create, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { toledo } from '../support/toledo-process.ts';

const app = await startTestApp();
const env = { TOLEDO_DATA_DIR: app.dataDir, TOLEDO_DATABASE_URL: app.databaseUrl };
const command = (...args: string[]) => toledo([...args, '--json'], env);
const json = async (...args: string[]) => JSON.parse((await command(...args)).stdout);

async function chargedTask() {
  const { id, key } = await app.account({ credits: 1_000 });
  const text = 'Une lampe brûlait encore dans la tour.';
  const created = await create(app, key, { action: 'translation', source_lang: 'fr', target_lang: 'en', text });
  const task = await untilEnded(app, key, created.body.data.task_id);
  return { id, key, taskId: task.task_id as string, charged: task.credits_charged as number };
}

test('a refund gives spent credits back once per reference, never more than the task cost, and partners see it', async () => {
  const { id, key, taskId, charged } = await chargedTask();
  assert.ok(charged > 10);
  const refund = (credits: number, reference: string) =>
    command(
      'account',
      'refund',
      id,
      String(credits),
      '--reference',
      reference,
      '--reason',
      'wrong book',
      '--task',
      taskId,
    );
  assert.deepEqual(
    [JSON.parse((await refund(10, 'R-1')).stdout).applied, JSON.parse((await refund(10, 'R-1')).stdout).applied],
    [true, false],
  );
  const tooMuch = await refund(charged, 'R-2');
  assert.equal(tooMuch.code, 1);
  assert.match(tooMuch.stderr, new RegExp(`At most ${charged - 10} credits`));
  assert.match((await refund(11, 'R-1')).stderr, /used before/);
  const usage = (await app.call('GET', '/api/v1/usage', { key })).body.data;
  assert.equal(usage.balance_credits, 1_000 - charged + 10);
  const [newest] = (await app.call('GET', '/api/v1/usage/ledger', { key })).body.data.lines;
  assert.deepEqual([newest.kind, newest.credits, newest.task_id, newest.reference], ['refund', 10, taskId, 'R-1']);
  assert.ok(!('reason' in newest), 'the reason is for operators');
  const [line] = (await json('account', 'ledger', id)).entries;
  assert.equal(line.reason, 'wrong book');
});

test('a task of another account cannot be refunded here', async () => {
  const mine = await chargedTask();
  const other = await chargedTask();
  const { code, stderr } = await command(
    ...['account', 'refund', mine.id, '1', '--reference', 'R-9', '--reason', 'x', '--task', other.taskId],
  );
  assert.equal(code, 1);
  assert.match(stderr, /At most 0 credits/);
});

test('a refund without reference and reason is a mistake of typing', async () => {
  const { id } = await app.account();
  assert.equal((await command('account', 'refund', id, '5')).code, 2);
});

test('every change an operator makes is in the audit log, with who made it; a refused one is not', async () => {
  const created = await json('account', 'create', 'Audited Press', '--credits', '100');
  const id = created.account_id;
  await command('account', 'top-up', id, '50', '--reference', 'INV-7');
  await command('account', 'top-up', id, '50', '--reference', 'INV-7');
  await command('account', 'update', id, '--rate-limit', '90');
  await command('account', 'suspend', id, '--reason', 'unpaid');
  await command('account', 'resume', id);
  const key = await json('key', 'create', id);
  await command('key', 'revoke', key.api_key_prefix);
  await command('account', 'refund', id, '5', '--reference', 'R', '--reason', 'nothing was spent');
  const entries = await json('audit', 'list', '--account', id);
  assert.deepEqual(entries.map((entry: { action: string }) => entry.action).reverse(), [
    ...['account.create', 'account.top_up', 'account.update', 'account.suspend', 'account.resume'],
    ...['key.create', 'key.revoke'],
  ]);
  for (const entry of entries) assert.match(entry.actor, /^command line \(.+\)$/);
  assert.ok(!JSON.stringify(entries).includes(key.api_key), 'no key reaches the log');
  const older = await json('audit', 'list', '--account', id, '--limit', '2', '--before', String(entries[1].id));
  assert.deepEqual(
    older.map((entry: { id: number }) => entry.id),
    [entries[2].id, entries[3].id],
  );
});

test('account show tells balance, limits and suspension', async () => {
  const { id } = await app.account({ credits: 70 });
  const shown = await json('account', 'show', id);
  assert.deepEqual([shown.balance_credits, shown.suspended_at], [70, null]);
});
