import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { beginAttempt } from '../../src/books/attempt-store.ts';
import { BookWrites } from '../../src/books/book-writes.ts';
import { completeTask, failTask } from '../../src/books/run-task.ts';
import { Fenced } from '../../src/tasks/attempt.ts';
import { create, creditsOf, poll } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ role: 'api' });
const { db } = app.application.database;
const { queue, metrics } = app.application;
const deps = { db, queue, metrics };
const outcome = { deliveredCharacters: 10, result: {}, detectedLang: undefined, outputs: [] };
const fault = { code: 'INTERNAL', message: '', retryable: false };

async function begun() {
  const { key } = await app.account({ credits: 100 });
  const created = await create(app, key, { action: 'glossary_extraction', target_lang: 'de', text: 'y'.repeat(40) });
  const taskId = created.body.data.task_id;
  const taken = await beginAttempt(db, taskId);
  assert.ok(taken);
  const attempt = { taskId, number: taken.task.attempt };
  const read = { kind: 'extraction', key: 'the first stretch', characters: 10, paidCharacters: 0, json: '{}' };
  await new BookWrites({ deps, task: taken.task, attempt }).save(read);
  return { key, taskId, task: taken.task, attempt };
}
const job = (taskId: string, complete: () => Promise<void>) => ({
  taskId,
  signal: new AbortController().signal,
  complete,
});

test('a fault in the last step of an end undoes all of it: nothing charged, nothing released, still pending', async () => {
  const { key, taskId, task, attempt } = await begun();
  const breaking = job(taskId, () => Promise.reject(new Error('the queue is away')));
  await assert.rejects(completeTask(deps, breaking, task, attempt, outcome), /away/);
  await assert.rejects(failTask(deps, breaking, task, attempt, fault), /away/);
  assert.deepEqual(await creditsOf(app, key), { balance: 60, reserved: 40, used: 0 });
  assert.equal((await poll(app, key, taskId)).body.data.status, 'pending');
  await completeTask(
    deps,
    job(taskId, async () => {}),
    task,
    attempt,
    outcome,
  );
  assert.deepEqual(await creditsOf(app, key), { balance: 90, reserved: 0, used: 10 });
});

test('a worker whose task was taken over can end it neither way, and its successor can', async () => {
  const { key, taskId, task, attempt } = await begun();
  const successor = await beginAttempt(db, taskId);
  assert.ok(successor);
  const done = job(taskId, async () => {});
  await assert.rejects(completeTask(deps, done, task, attempt, outcome), Fenced);
  await assert.rejects(failTask(deps, done, task, attempt, fault), Fenced);
  assert.deepEqual(await creditsOf(app, key), { balance: 60, reserved: 40, used: 0 });
  await completeTask(deps, done, successor.task, { taskId, number: successor.task.attempt }, outcome);
  assert.deepEqual(await creditsOf(app, key), { balance: 90, reserved: 0, used: 10 });
});
