/** How long a killed worker's book stands still: `npm run test:worker-takeover`. A number after it: rounds (10). */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { startFaultCluster } from '../support/fault-cluster.ts';
import { listFiles } from '../support/stored.ts';
import { create } from '../support/task-client.ts';
import { story } from '../support/texts.ts';
import { eventually } from '../support/workers.ts';

const rounds = Number(process.argv[2] ?? 10);

test(`with the settings of production a killed worker’s book goes on within 30 s, ${rounds} times`, async (t) => {
  const cluster = await startFaultCluster();
  const api = await cluster.start('api');
  let worker = await cluster.start('worker');
  const resumedMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { key } = await cluster.account({ credits: 100_000 });
    const fields = { action: 'translation', target_lang: 'de-x-slow', text: story(60_000, 60 + round) };
    const taskId = (await create(api, key, fields)).body.data.task_id;
    await eventually(async () => (await cluster.attempts(taskId)).progress > 0.05, 60_000, 'first segments');
    const successor = await cluster.start('worker');
    await worker.kill();
    worker = successor;
    const before = await cluster.attempts(taskId);
    assert.ok(before.attempt === 1 && before.progress < 0.97, JSON.stringify(before));
    const resumed = async () => (await cluster.attempts(taskId)).progress > before.progress;
    resumedMs.push(await eventually(resumed, 30_000, 'progress'));
    assert.equal((await cluster.attempts(taskId)).attempt, 2);
    await api.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key });
  }
  t.diagnostic(`progress again after ${resumedMs.join(', ')} ms`);
  await worker.stop();
  await cluster.start('worker');
  const copies = (await listFiles(cluster)).filter((path) => path.startsWith('tmp/'));
  assert.deepEqual(copies, [], 'a new worker removes what killed ones left');
});
