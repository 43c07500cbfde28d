import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { create, creditsOf, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { story } from '../support/texts.ts';
import { eventually, openWorkshop } from '../support/workers.ts';

// The audit at the end of the application looks at the books once more. `npm run prove` repeats this in many ways.
test('a worker that is killed with -9 in the middle of a book loses no paragraph, and the book is paid once', async () => {
  const { app, startWorker, attempts } = await openWorkshop();
  const { pool } = app.application.database;
  // A dead worker's job is taken over after this long without a heartbeat; the job engine refuses to be told less than 10 s.
  await pool.query('update pgboss.queue set heartbeat_seconds = 3');
  const { key } = await app.account({ credits: 100_000 });
  const text = story(9_000, 1);
  // Two segments at a time, three seconds each: the book outlives its worker.
  const slow = { TOLEDO_WORKER_BOOKS: '1', TOLEDO_ENGINE_CONCURRENCY: '2' };
  const victim = await startWorker(slow);
  const { task_id } = (await create(app, key, { action: 'translation', target_lang: 'de-x-slow', text })).body.data;
  await eventually(async () => (await attempts(task_id)).progress > 0.2, 'first segments');
  victim.child.kill('SIGKILL');
  await victim.exited;
  const { rows } = await pool.query('select status from tasks where id = $1', [task_id]);
  assert.deepEqual(rows, [{ status: 'pending' }]);
  await startTestApp({ beside: app, role: 'worker', env: slow });
  await eventually(async () => (await attempts(task_id)).progress === 1, 'the whole book');
  const task = await untilEnded(app, key, task_id);
  assert.deepEqual([task.status, task.credits_charged], ['completed', task.char_count]);
  assert.deepEqual(await creditsOf(app, key), {
    balance: 100_000 - task.char_count,
    reserved: 0,
    used: task.char_count,
  });
  const { attempt, faults } = await attempts(task_id);
  assert.deepEqual([attempt, faults], [2, 0], 'a kill is no fault of the task');
  const { download_url } = (await app.call('GET', `/api/v1/tasks/${task_id}/download`, { key })).body.data;
  const paragraphs = (book: string) => book.trim().split(/\n{2,}/).length;
  assert.equal(paragraphs(await (await fetch(download_url)).text()), paragraphs(text));
});
