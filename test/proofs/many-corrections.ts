/** A list of very many corrections is matched in its own process, within its memory, while others are served. Size: paragraphs. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proofRun } from '../support/proof.ts';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const { size: paragraphs } = proofRun({ short: 10_000, long: 30_000 });
const app = await startTestApp({ own: true });

test(`${2 * paragraphs} units for ${paragraphs} equal paragraphs are matched in seconds, within the memory of their own process, while others are served`, async (context) => {
  const { id } = await app.account();
  const { key } = await app.newKey(id, 'test');
  const line = 'Sí.';
  const fields = { action: 'translation', source_lang: 'es', target_lang: 'en', estimated_chars: 200_000 };
  const content = Array.from({ length: paragraphs }, () => line).join('\n\n');
  const task = await run(app, key, fields, { file: { content, fileName: 'si.txt' } });
  assert.equal(task.status, 'completed');
  const corrections = Array.from({ length: 2 * paragraphs }, (_, i) => ({ source: line, target: `Y${i}` }));
  const startedAt = performance.now();
  const matching = app.call('POST', `/api/v1/tasks/${task.task_id}/corrections`, {
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ corrections }),
  });
  let isOver = false;
  void matching.finally(() => {
    isOver = true;
  });
  const waits: number[] = [];
  let memory = 0;
  while (!isOver) {
    const askedAt = performance.now();
    assert.equal((await app.call('GET', `/api/v1/tasks/${task.task_id}`, { key })).status, 200);
    waits.push(performance.now() - askedAt);
    memory = Math.max(memory, process.memoryUsage().rss);
  }
  const { data } = (await matching).body;
  assert.deepEqual([data.taken, data.refused, data.refusals.length], [paragraphs, 2 * paragraphs - 1, 100]);
  assert.equal(data.refusals[0].reason, 'CORRECTED_TWICE');
  const worst = Math.max(...waits);
  const seconds = (performance.now() - startedAt) / 1000;
  context.diagnostic(
    `matched in ${seconds.toFixed(1)} s; ${waits.length} other answers, the slowest ${worst.toFixed(0)} ms`,
  );
  assert.ok(waits.length > 3, 'others were answered meanwhile');
  assert.ok(memory < 2_000_000_000, `${memory} bytes of memory`);
  const { rows } = await app.application.database.pool.query(
    `select (select count(*)::int from task_correction_texts where task_id = $1) as texts,
       (select count(*)::int from task_corrections where task_id = $1) as blocks`,
    [task.task_id],
  );
  assert.deepEqual(rows[0], { texts: 1, blocks: paragraphs });
});
