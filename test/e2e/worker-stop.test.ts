import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { create, creditsOf, untilEnded } from '../support/task-client.ts';
import { story } from '../support/texts.ts';
import { eventually, openWorkshop } from '../support/workers.ts';

const { app, startWorker, attempts } = await openWorkshop();

test('SIGTERM of a worker in the middle of a book: exit 0, no fault counted, and another worker goes on where it stopped', async () => {
  const { key } = await app.account({ credits: 200_000 });
  const text = story(9_000, 41);
  const worker = await startWorker();
  const taskId = (await create(app, key, { action: 'translation', target_lang: 'de-x-slow', text })).body.data.task_id;
  const saved = async () => {
    const { rows } = await app.application.database.pool.query(
      'select count(*)::int as n from checkpoints where task_id = $1',
      [taskId],
    );
    return rows[0].n as number;
  };
  await eventually(async () => (await saved()) > 0, 30_000, 'the first checkpoint');
  worker.child.kill('SIGTERM');
  assert.deepEqual(await worker.exited, { code: 0, signal: null });
  const between = await attempts(taskId);
  assert.deepEqual([between.attempt, between.faults], [1, 0]);
  assert.ok(between.progress < 0.97, 'the book must not be finished yet');
  assert.ok((await saved()) > 0, 'what was done is kept');
  await startWorker();
  await eventually(async () => (await attempts(taskId)).attempt === 2, 5_000, 'taken again');
  const task = await untilEnded(app, key, taskId);
  assert.deepEqual([task.status, task.credits_charged], ['completed', task.char_count]);
  assert.equal((await attempts(taskId)).faults, 0);
  assert.deepEqual(await creditsOf(app, key), {
    balance: 200_000 - task.char_count,
    reserved: 0,
    used: task.char_count,
  });
});
