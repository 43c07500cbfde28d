import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { startFaultCluster } from '../support/fault-cluster.ts';
import { create, creditsOf, until, untilEnded } from '../support/task-client.ts';
import { story } from '../support/texts.ts';

// The audit at the end of the cluster looks at the books once more. `npm run prove` repeats this in many ways.
test('a worker that is killed with -9 in the middle of a book loses no paragraph, and the book is paid once', async () => {
  const cluster = await startFaultCluster({
    env: { TOLEDO_WORKER_BOOKS: '1' },
    // One paragraph is one segment, and an answer takes long enough that the book outlives its worker.
    llm: { latencyMs: 200, perTokenMs: 0 },
    engine: { max_input_characters: 150, concurrency: 2 },
  });
  const [api, victim] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
  await cluster.setLeaseSeconds(3);
  const { key } = await cluster.account({ credits: 100_000 });
  const text = story(4_000, 1);
  const fields = { action: 'translation', source_lang: 'en', target_lang: 'de', text };
  const { task_id } = (await create(api, key, fields)).body.data;
  await until(api, key, task_id, ({ progress }) => progress > 0.2);
  await victim.kill();
  const killed = (await cluster.attempts(task_id)).status;
  await cluster.start('worker');
  const task = await untilEnded(api, key, task_id);
  assert.deepEqual([killed, task.status, task.credits_charged], ['pending', 'completed', task.char_count]);
  assert.deepEqual(await creditsOf(api, key), {
    balance: 100_000 - task.char_count,
    reserved: 0,
    used: task.char_count,
  });
  const { attempt, faults } = await cluster.attempts(task_id);
  assert.deepEqual([attempt, faults], [2, 0], 'a kill is no fault of the task');
  const { download_url } = (await api.call('GET', `/api/v1/tasks/${task_id}/download`, { key })).body.data;
  const paragraphs = (book: string) => book.trim().split(/\n{2,}/).length;
  assert.equal(paragraphs(await (await fetch(download_url)).text()), paragraphs(text));
});
