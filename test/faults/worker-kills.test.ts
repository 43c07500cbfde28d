import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { listFiles } from '../support/stored.ts';
import { create, creditsOf, run, untilEnded } from '../support/task-client.ts';
import { story } from '../support/texts.ts';
import { eventually, openWorkshop } from '../support/workers.ts';

const { app, startWorker, attempts } = await openWorkshop();
const text = story(60_000, 51);
const request = { action: 'translation', target_lang: 'de-x-slow', text };

async function translated(key: string, taskId: string): Promise<string> {
  const { download_url } = (await app.call('GET', `/api/v1/tasks/${taskId}/download`, { key })).body.data;
  return createHash('sha256')
    .update(Buffer.from(await (await fetch(download_url)).arrayBuffer()))
    .digest('hex');
}

test('kill -9 of a worker in the middle of a book, five times: resumed within 30 s, nothing lost or charged twice, the same bytes', async (context) => {
  const undisturbed = await app.account({ credits: 1_000_000 });
  let worker = await startWorker();
  const whole = await run(app, undisturbed.key, request);
  assert.equal(whole.status, 'completed');
  const expected = await translated(undisturbed.key, whole.task_id);
  const resumedMs: number[] = [];
  for (let round = 0; round < 5; round++) {
    // An account of its own each time: an account's earlier segments would be reused.
    const { key } = await app.account({ credits: 100_000 });
    const taskId = (await create(app, key, request)).body.data.task_id;
    await eventually(async () => (await attempts(taskId)).progress > 0.05, 60_000, 'first segments');
    const [victim, successor] = [worker, await startWorker()];
    const before = await attempts(taskId);
    assert.ok(before.attempt === 1 && before.progress < 0.97, JSON.stringify(before));
    victim.child.kill('SIGKILL');
    await victim.exited;
    worker = successor;
    resumedMs.push(await eventually(async () => (await attempts(taskId)).attempt > 1, 30_000, 'taken over'));
    const task = await untilEnded(app, key, taskId, 120_000);
    assert.deepEqual([task.status, task.credits_charged], ['completed', task.char_count]);
    assert.equal(await translated(key, taskId), expected, 'the output must be the same, byte for byte');
    assert.deepEqual(await creditsOf(app, key), {
      balance: 100_000 - task.char_count,
      reserved: 0,
      used: task.char_count,
    });
    assert.equal((await attempts(taskId)).faults, 0);
  }
  context.diagnostic(`resumed after ${resumedMs.join(', ')} ms`);
  await startWorker();
  const copies = (await listFiles(app)).filter((path) => path.startsWith('tmp/'));
  assert.deepEqual(copies, [], 'a new worker removes what killed ones left');
});
