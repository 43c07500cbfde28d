/**
 * With the settings of production a killed worker's task goes on within 30 s on another worker and is charged once.
 * Size: kills.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { startFaultCluster } from '../support/fault-cluster.ts';
import { proofRun } from '../support/proof.ts';
import { listFiles } from '../support/stored.ts';
import { create, untilEnded } from '../support/task-client.ts';
import { story } from '../support/texts.ts';
import { eventually, openWorkshop, within } from '../support/workers.ts';

const { size: rounds } = proofRun({ short: 1, long: 10 });

test('after kill -9 of a worker another one takes its task over within 30 s and ends it, charged once', async (context) => {
  const { app, startWorker, attempts } = await openWorkshop();
  const { key } = await app.account({ credits: 10_000 });
  const victim = await startWorker();
  const text = story(6_000, 91);
  const created = await create(app, key, { action: 'translation', target_lang: 'de-x-slow', text });
  const taskId = created.body.data.task_id;
  await eventually(async () => (await attempts(taskId)).attempt === 1, 'begun');
  victim.child.kill('SIGKILL');
  await victim.exited;
  const successor = await startWorker();
  context.diagnostic(`${await within(async () => (await attempts(taskId)).attempt > 1, 30_000, 'taken over')} ms`);
  const task = await untilEnded(app, key, taskId);
  assert.deepEqual([task.status, task.credits_charged], ['completed', task.char_count]);
  assert.equal(successor.child.exitCode, null);
});

test(`with the settings of production a killed worker’s book goes on within 30 s, ${rounds} times`, async (t) => {
  const cluster = await startFaultCluster();
  const api = await cluster.start('api');
  let worker = await cluster.start('worker');
  const resumedMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { key } = await cluster.account({ credits: 500_000 });
    // Long enough to be under way still when the other worker is there.
    const fields = { action: 'translation', target_lang: 'de-x-slow', text: story(400_000, 60 + round) };
    const taskId = (await create(api, key, fields)).body.data.task_id;
    await eventually(async () => (await cluster.attempts(taskId)).progress > 0.05, 'first segments');
    const successor = await cluster.start('worker');
    await worker.kill();
    worker = successor;
    const before = await cluster.attempts(taskId);
    assert.ok(before.attempt === 1 && before.progress < 0.97, JSON.stringify(before));
    const resumed = async () => (await cluster.attempts(taskId)).progress > before.progress;
    resumedMs.push(await within(resumed, 30_000, 'progress'));
    assert.equal((await cluster.attempts(taskId)).attempt, 2);
    await api.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key });
  }
  t.diagnostic(`progress again after ${resumedMs.join(', ')} ms`);
  await worker.stop();
  await cluster.start('worker');
  const copies = (await listFiles(cluster)).filter((path) => path.startsWith('tmp/'));
  assert.deepEqual(copies, [], 'a new worker removes what killed ones left');
});
