import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { create, creditsOf, untilEnded } from '../support/task-client.ts';
import { story } from '../support/texts.ts';
import { eventually, openWorkshop } from '../support/workers.ts';

const { app, startWorker, attempts } = await openWorkshop();

test('SIGTERM of a worker in the middle of a book: exit 0, no fault counted, and another worker goes on where it stopped', async () => {
  const { key } = await app.account({ credits: 200_000 });
  const text = story(15_000, 41);
  // Four segments at a time, three seconds each: the book is certainly not finished when its first segments are.
  const slow = { TOLEDO_ENGINE_CONCURRENCY: '4' };
  const worker = await startWorker(slow);
  const taskId = (await create(app, key, { action: 'translation', target_lang: 'de-x-slow', text })).body.data.task_id;
  await eventually(async () => (await attempts(taskId)).progress > 0.05, 30_000, 'first segments');
  worker.child.kill('SIGTERM');
  assert.deepEqual(await worker.exited, { code: 0, signal: null });
  const between = await attempts(taskId);
  assert.deepEqual([between.attempt, between.faults], [1, 0]);
  assert.ok(between.progress < 0.97, 'the book must not be finished yet');
  await startWorker(slow);
  const waited = await eventually(async () => (await attempts(taskId)).attempt === 2, 5_000, 'taken again');
  assert.ok(waited < 5_000);
  const task = await untilEnded(app, key, taskId);
  assert.deepEqual([task.status, task.credits_charged], ['completed', task.char_count]);
  assert.equal((await attempts(taskId)).faults, 0);
  assert.deepEqual(await creditsOf(app, key), {
    balance: 200_000 - task.char_count,
    reserved: 0,
    used: task.char_count,
  });
});
