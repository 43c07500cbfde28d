import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginAttempt, saveProgress } from '../../src/books/attempt-store.ts';
import { BookWrites } from '../../src/books/book-writes.ts';
import { create, creditsOf, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ own: true, role: 'api' });
const { db } = app.application.database;
const { queue, metrics } = app.application;
const { key } = await app.account({ credits: 10_000 });
const text = 'The lamp on the quay was out. Nobody had lit it since Monday.';
const newTask = async () =>
  (await create(app, key, { action: 'translation', target_lang: 'de', text })).body.data.task_id as string;

/** What is left of a worker that died right after taking the task. */
async function vanish(taskId: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) assert.ok(await beginAttempt(db, taskId));
}

test('a task that every worker dies of is ended at no cost, and one that got on in between is not', async () => {
  const [deadly, unlucky] = [await newTask(), await newTask()];
  await vanish(deadly, 25);
  await vanish(unlucky, 20);
  const begun = await beginAttempt(db, unlucky);
  assert.equal(begun?.lostAttempts, 20);
  assert.ok(begun);
  const attempt = { taskId: unlucky, number: begun.task.attempt };
  await saveProgress(db, attempt, { stage: 'translating' });
  await new BookWrites({ deps: { db, queue, metrics }, task: begun.task, attempt }).save({
    kind: 'revision',
    key: 'any',
    characters: 0,
    paidCharacters: 0,
    json: '{}',
  });
  await vanish(unlucky, 20);

  await startTestApp({ beside: app, role: 'worker' });
  const ended = await untilEnded(app, key, deadly);
  assert.deepEqual([ended.status, ended.error.code, ended.credits_charged], ['failed', 'INTERNAL', 0]);
  assert.equal((await untilEnded(app, key, unlucky)).status, 'completed');
  assert.equal((await creditsOf(app, key)).reserved, 0);
});
