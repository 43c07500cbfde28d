/** What a book teaches is written ahead of its end; whatever happens meanwhile, what is remembered is what the finished book says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { beginAttempt } from '../../src/tasks/run/attempt-store.ts';
import { EndAhead } from '../../src/tasks/run/end-ahead.ts';
import { LearnedBook } from '../../src/tasks/run/learned-book.ts';
import { rememberBook } from '../../src/tasks/run/remember-book.ts';
import { completeTask } from '../../src/tasks/run/run-task.ts';
import { textKey } from '../../src/translation/memory/block-keys.ts';
import type { NewMemory } from '../../src/translation/memory/remember.ts';
import { create } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ role: 'api' });
const { db } = app.application.database;
const { queue, metrics } = app.application;

function memoryOf(n: number, target: string): NewMemory {
  return { text: textKey(`paragraph ${n}`), variant: 1, context: n, grade: 'translated', target, characters: 10 };
}

const some = (from: number, to: number, target: string): NewMemory[] =>
  Array.from({ length: to - from }, (_, i) => memoryOf(from + i, target));

async function begunTask(key: string) {
  const order = { action: 'token_estimate', target_lang: 'de', text: 'Nobody came to the quay that night.' };
  const taskId = (await create(app, key, order)).body.data.task_id as string;
  const begun = await beginAttempt(db, taskId);
  assert.ok(begun);
  const end = new EndAhead(db);
  const { task } = begun;
  const complete = async (learned: LearnedBook) => {
    const outcome = {
      deliveredCharacters: task.charCount,
      result: {},
      detectedLang: 'en',
      outputs: [],
      ...learned.all,
    };
    const job = { taskId, signal: new AbortController().signal, complete: async () => {} };
    await completeTask({ db, queue, metrics, end }, job, task, { taskId, number: task.attempt }, outcome);
  };
  return { task, end, complete, learned: new LearnedBook(task, end) };
}

/** As they are remembered, by their places, and what the memory says of itself. */
async function rememberedBy(accountId: string): Promise<{ targets: Record<string, number>; blocks: number }> {
  const { rows } = await sql<{ target: string; blocks: number; counted: number }>`
    select b.target, count(*)::int as blocks, max(m.blocks)::int as counted from memories m
    join memory_blocks b on b.memory_id = m.id where m.account_id = ${accountId} group by b.target`.execute(db);
  return { targets: Object.fromEntries(rows.map((row) => [row.target, row.blocks])), blocks: rows[0]?.counted ?? 0 };
}

test('what comes after the first writing is written too', async () => {
  const { id, key } = await app.account({ credits: 1_000 });
  const { learned, complete } = await begunTask(key);
  learned.remember({ memories: some(0, 1_400, 'first'), anew: false });
  learned.writeAhead();
  learned.remember({ memories: some(1_400, 1_500, 'late'), anew: false });
  learned.writeRest();
  assert.deepEqual((await rememberedBy(id)).targets, {}, 'nobody sees it before the task is completed');
  await complete(learned);
  assert.deepEqual(await rememberedBy(id), { targets: { first: 1_400, late: 100 }, blocks: 1_500 });
});

test('what was changed or taken back after the first writing is remembered as it is in the end', async () => {
  const { id, key } = await app.account({ credits: 1_000 });
  const changed = await begunTask(key);
  changed.learned.remember({ memories: some(0, 400, 'first'), anew: false });
  changed.learned.writeAhead();
  changed.learned.remember({ memories: some(7, 9, 'changed'), anew: false });
  changed.learned.writeRest();
  await changed.complete(changed.learned);
  assert.deepEqual(await rememberedBy(id), { targets: { first: 398, changed: 2 }, blocks: 400 });
  const fewer = await begunTask(key);
  fewer.learned.remember({ memories: some(1_000, 1_400, 'second'), anew: false });
  fewer.learned.writeAhead();
  fewer.learned.remember({ memories: [], anew: true });
  fewer.learned.remember({ memories: some(1_000, 1_010, 'second'), anew: false });
  fewer.learned.writeRest();
  await fewer.complete(fewer.learned);
  assert.deepEqual(await rememberedBy(id), { targets: { first: 398, changed: 2, second: 10 }, blocks: 410 });
});

test('a task ends when it does, also where its end was begun before', async () => {
  const { key } = await app.account({ credits: 1_000 });
  const { task, learned, complete } = await begunTask(key);
  learned.remember({ memories: some(0, 400, 'early'), anew: false });
  learned.writeAhead();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const { rows: before } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db);
  learned.writeRest();
  await complete(learned);
  const { rows: times } = await sql<{ ended: Date; told: Date }>`
    select t.ended_at as ended, e.created_at as told from tasks t join events e on e.task_id = t.id where t.id = ${task.id}`.execute(
    db,
  );
  const [{ ended, told } = { ended: new Date(0), told: new Date(0) }] = times;
  assert.ok(ended >= (before[0]?.at ?? new Date()), 'not before its end was written');
  assert.ok(told >= ended);
});

test('two tasks of an account that teach the same never wait for each other in a circle', async () => {
  const { id, key } = await app.account({ credits: 1_000 });
  const earlier = await begunTask(key);
  earlier.learned.remember({ memories: some(5_000, 5_010, 'earlier'), anew: false });
  await earlier.complete(earlier.learned);
  const [one, other] = [await begunTask(key), await begunTask(key)];
  const first = await db.startTransaction().execute();
  await rememberBook(first, one.task, { memories: some(0, 10, 'one') });
  other.learned.remember({ memories: some(10, 20, 'other'), anew: false });
  const ended = other.complete(other.learned);
  await untilOneWaits();
  // Of all that it has to write this comes late, and the other one has it too.
  await rememberBook(first, one.task, { memories: some(10, 20, 'one') });
  await first.commit().execute();
  await ended;
  assert.deepEqual(await rememberedBy(id), { targets: { earlier: 10, one: 20 }, blocks: 30 });
  await one.complete(one.learned);
});

async function untilOneWaits(): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('a book of which some paragraphs are remembered by then adds the others, and takes the place of drafts', async () => {
  const { id, key } = await app.account({ credits: 1_000 });
  const earlier = await begunTask(key);
  const draft = { ...memoryOf(1_750, 'draft'), grade: 'draft' as const };
  earlier.learned.remember({ memories: [...some(0, 400, 'earlier'), draft], anew: false });
  await earlier.complete(earlier.learned);
  const later = await begunTask(key);
  later.learned.remember({ memories: some(390, 2_400, 'later'), anew: false });
  later.learned.writeAhead();
  later.learned.writeRest();
  await later.complete(later.learned);
  assert.deepEqual(await rememberedBy(id), { targets: { earlier: 400, later: 2_000 }, blocks: 2_400 });
  const { rows } = await sql<{ characters: number }>`
    select characters::int as characters from memories where account_id = ${id}`.execute(db);
  assert.deepEqual(rows, [{ characters: 24_000 }]);
});
