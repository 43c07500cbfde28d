import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sandboxScenarios } from '../../src/engines/sandbox/sandbox-scenarios.ts';
import { findTask } from '../../src/tasks/task-store.ts';
import { pollHintSeconds } from '../../src/tasks/task-view.ts';
import { create, creditsOf, poll, run, until, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { story } from '../support/texts.ts';

const app = await startTestApp();
const { pool } = app.application.database;
const text = 'The lamp on the quay was out. Corwin lit it again. Nobody thanked him.';

const base =
  'task_id action status progress stage file_name source_lang char_count estimated_credits credits_charged created_at ended_at partner_metadata';
/** What a completed task shows when polled, by action. */
const completed = {
  translation: `${base} target_lang download_files quality coverage warnings`,
  preview_translation: `${base} target_lang download_files quality coverage warnings`,
  token_estimate: `${base} target_lang detected_language total_characters estimated_tokens token_estimate`,
  glossary_extraction: `${base} target_lang terms detected_language`,
  preview_metadata: `${base} target_lang detected_language metadata`,
};

for (const [action, fields] of Object.entries(completed)) {
  test(`a completed ${action} shows exactly its fields`, async () => {
    const { key } = await app.account({ credits: 1_000 });
    const task = await run(app, key, { action, target_lang: 'de', text });
    assert.deepEqual(Object.keys(task).sort(), fields.split(' ').sort(), JSON.stringify(task));
    assert.deepEqual([task.status, task.stage, task.progress], ['completed', 'completed', 1]);
    assert.equal(task.source_lang, 'en');
    assert.equal(task.file_name, 'text.txt');
    const charged = ['token_estimate', 'preview_metadata'].includes(action) ? 0 : text.length;
    assert.equal(task.credits_charged, charged);
    if (!task.download_files) return;
    const files = task.download_files.map((file: { file_id: string }) => file.file_id);
    assert.deepEqual(files, ['translated', 'bilingual', 'glossary', 'report']);
    const [translated] = task.download_files;
    assert.equal(translated.url, `/api/tasks/download-file/${task.task_id}`);
    assert.deepEqual([translated.file_name, translated.type], ['text.de.txt', 'translated']);
  });
}

test('a pending task tells its stage, a progress that never falls, and when to poll again', async () => {
  const { id } = await app.account();
  const { key } = await app.newKey(id, 'test');
  const created = await create(app, key, { action: 'translation', target_lang: 'de-x-slow', text: story(6_000, 77) });
  const taskId = created.body.data.task_id;
  const stages: string[] = [];
  let progress = 0;
  for (;;) {
    const { body, headers } = await poll(app, key, taskId);
    const task = body.data;
    assert.ok(task.progress >= progress, `${task.progress} after ${progress}`);
    progress = task.progress;
    if (stages.at(-1) !== task.stage) stages.push(task.stage);
    if (task.status !== 'pending') {
      assert.equal(headers.get('retry-after'), null);
      break;
    }
    assert.match(headers.get('retry-after') ?? '', /^(1|2|5|15)$/);
    assert.ok(task.progress < 1 && task.credits_charged === undefined && task.download_files === undefined);
    await sleep(100);
  }
  const order = ['queued', 'preparing', 'translating', 'finalizing', 'completed'];
  assert.deepEqual(
    stages,
    order.filter((stage) => stages.includes(stage)),
  );
  assert.ok(stages.includes('translating') && stages.at(-1) === 'completed', stages.join());
});

test('the poll hint grows with the age of a long task', async () => {
  const api = await startTestApp({ role: 'api' });
  const { id: accountId, key } = await api.account({ credits: 100_000 });
  const { body } = await create(api, key, { action: 'translation', target_lang: 'de', text: story(25_000, 3) });
  const task = await findTask(api.application.database.db, { accountId, sandbox: false }, body.data.task_id);
  const after = (seconds: number) => pollHintSeconds(task, new Date(task.createdAt.getTime() + seconds * 1000));
  assert.deepEqual([after(1), after(599), after(601)], [5, 5, 15]);
  const short = (seconds: number) =>
    pollHintSeconds({ ...task, charCount: 100 }, new Date(task.createdAt.getTime() + seconds * 1000));
  assert.deepEqual([short(0), short(4), short(6), short(61)], [1, 1, 2, 5]);
});

test('every sandbox scenario ends as documented, moves no credits and needs none', async () => {
  const { id } = await app.account();
  const { key } = await app.newKey(id, 'test');
  const unfinished = ['outage', 'spend'];
  await Promise.all(
    sandboxScenarios.map(async (subtag) => {
      const created = await create(app, key, {
        action: 'translation',
        target_lang: `de-x-${subtag}`,
        text: story(2_500, 9),
      });
      assert.equal(created.status, 201, created.text);
      const taskId = created.body.data.task_id;
      if (unfinished.includes(subtag)) {
        await until(app, key, taskId, (task) => task.stage !== 'queued');
        const cancelled = await app.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key });
        assert.deepEqual([cancelled.body.data.status, cancelled.body.data.credits_charged], ['cancelled', 0]);
        return;
      }
      const task = await untilEnded(app, key, taskId);
      assert.equal(task.credits_charged, 0, subtag);
      if (subtag === 'fail') {
        assert.equal(task.status, 'failed');
        assert.deepEqual(Object.keys(task.error).sort(), ['code', 'message', 'retryable']);
        return;
      }
      assert.equal(task.status, 'completed', `${subtag}: ${JSON.stringify(task)}`);
      const { total, translated, kept, failed } = task.coverage ?? { total: 0, translated: 0, kept: 0, failed: 0 };
      assert.equal(total, translated + kept + failed, subtag);
    }),
  );
  assert.deepEqual(await creditsOf(app, key), { balance: 0, reserved: 0, used: 0 });
});

test('partial, refuse and echo complete on the sample novels, with some paragraphs not translated', async () => {
  const { id } = await app.account();
  const { key } = await app.newKey(id, 'test');
  for (const name of ['le-moulin-des-brumes.md', 'la-casa-de-los-relojes.md']) {
    const content = readFileSync(new URL(`../../src/pages/samples/${name}`, import.meta.url));
    for (const subtag of ['partial', 'refuse', 'echo']) {
      const fields = { action: 'translation', target_lang: `en-x-${subtag}`, estimated_chars: 9_000 };
      const created = await create(app, key, fields, { file: { content, fileName: name } });
      const task = await untilEnded(app, key, created.body.data.task_id);
      assert.equal(task.status, 'completed', `${name} ${subtag}: ${JSON.stringify(task.error)}`);
      assert.ok(task.coverage.failed > 0, `${name} ${subtag}`);
    }
  }
});

test("one partner's sandbox outage holds up nobody else's sandbox tasks", async () => {
  const [one, other] = [await app.account(), await app.account()];
  const [broken, ordinary] = [await app.newKey(one.id, 'test'), await app.newKey(other.id, 'test')];
  const timed = async (year: number) => {
    const started = performance.now();
    const task = await run(app, ordinary.key, { action: 'translation', target_lang: 'fr', text: story(1_000, year) });
    assert.equal(task.status, 'completed');
    return performance.now() - started;
  };
  const quietMs = await timed(30);
  const waiting: string[] = [];
  for (const subtag of ['outage', 'outage', 'spend']) {
    const fields = { action: 'translation', target_lang: `fr-x-${subtag}`, text: story(1_000, 31) };
    waiting.push((await create(app, broken.key, fields)).body.data.task_id);
  }
  // A breaker lets nobody through for 10 s.
  const besideMs = await timed(32);
  assert.ok(besideMs < quietMs * 5 + 8_000, `${quietMs} ms before, ${besideMs} ms beside the outage`);
  // They would be tried again for as long as the application runs.
  for (const taskId of waiting) await app.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key: broken.key });
});

test('the database itself refuses to change an end state, a charge, a hold that ended, and the ledger', async () => {
  const { id, key } = await app.account({ credits: 1_000 });
  const task = await run(app, key, { action: 'translation', target_lang: 'de', text });
  const refused: [statement: string, constraint: string][] = [
    [
      `update tasks set status = 'pending', stage = 'queued', ended_at = null, credits_charged = null, progress = 1`,
      'tasks_end_final',
    ],
    [`update tasks set status = 'cancelled', stage = 'cancelled'`, 'tasks_end_final'],
    [`update tasks set credits_charged = 0`, 'tasks_end_final'],
    [`update tasks set progress = 0.5`, 'tasks_end_final'],
    [`update tasks set ended_at = now()`, 'tasks_end_final'],
    [`update tasks set char_count = char_count + 1`, 'tasks_identity_fixed'],
    [`update tasks set action = 'token_estimate'`, 'tasks_identity_fixed'],
    [`update credit_holds set charged = 0, released = amount`, 'credit_holds_final'],
    [`update credit_holds set ended_at = null, charged = null, released = null`, 'credit_holds_final'],
  ];
  for (const [statement, constraint] of refused) {
    const where = statement.includes('credit_holds') ? 'task_id' : 'id';
    await assert.rejects(pool.query(`${statement} where ${where} = $1`, [task.task_id]), { constraint }, statement);
  }
  const whole: [statement: string, constraint: string][] = [
    ['update credit_transfers set amount = 1', 'credit_transfers_append_only'],
    ['delete from credit_transfers', 'credit_transfers_append_only'],
    ['truncate credit_transfers', 'credit_transfers_append_only'],
    ['delete from credit_holds', 'credit_holds_append_only'],
    [
      'update credit_balances set available = -1, granted = reserved + spent - 1',
      'credit_balances_available_not_negative',
    ],
    ['update credit_balances set available = available + 1', 'credit_balances_add_up'],
  ];
  for (const [statement, constraint] of whole) await assert.rejects(pool.query(statement), { constraint }, statement);
  const second = `insert into credit_transfers (account_id, kind, debit_book, credit_book, amount, task_id)
    values ($1, 'charge', 'reserved', 'spent', 1, $2)`;
  await assert.rejects(pool.query(second, [id, task.task_id]), { constraint: 'credit_transfers_once_per_task' });
});
