import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { create, untilEnded } from '../support/task-client.ts';
import { story } from '../support/texts.ts';
import { eventually, openWorkshop } from '../support/workers.ts';

const { app, startWorker, attempts } = await openWorkshop();

test('after kill -9 of a worker another one takes its task over within 30 s and ends it, charged once', async (context) => {
  const { key } = await app.account({ credits: 10_000 });
  const victim = await startWorker();
  const text = story(6_000, 91);
  const created = await create(app, key, { action: 'translation', target_lang: 'de-x-slow', text });
  const taskId = created.body.data.task_id;
  await eventually(async () => (await attempts(taskId)).attempt === 1, 30_000, 'begun');
  victim.child.kill('SIGKILL');
  await victim.exited;
  const successor = await startWorker();
  context.diagnostic(`${await eventually(async () => (await attempts(taskId)).attempt > 1, 30_000, 'taken over')} ms`);
  const task = await untilEnded(app, key, taskId);
  assert.deepEqual([task.status, task.credits_charged], ['completed', task.char_count]);
  assert.equal(successor.child.exitCode, null);
});
