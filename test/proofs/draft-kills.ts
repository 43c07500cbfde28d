/**
 * The built-in engine gives the same bytes when its worker or its own process is killed in the middle of a book. Size: kills,
 * one per book, of the worker and of the engine's process in turn.
 */
import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFaultCluster } from '../support/fault-cluster.ts';
import { proofRun } from '../support/proof.ts';
import { seeded } from '../support/simulated-llm/random.ts';
import { create, untilEnded } from '../support/task-client.ts';

const { size: kills, seed, isLong } = proofRun({ short: 1, long: 20, seed: 3 });
const novel = readFileSync(new URL('../../src/pages/samples/le-moulin-des-brumes.md', import.meta.url), 'utf8');
const text = isLong ? novel : novel.slice(0, novel.indexOf('# Chapitre deux'));

test(`${kills} times kill -9 of a worker or its engine in the middle of a draft: the same bytes at the same price`, async () => {
  const cluster = await startFaultCluster({ env: { TOLEDO_ENGINE: 'built-in' } });
  const api = await cluster.start('api');
  let worker = await cluster.start('worker');
  await cluster.setLeaseSeconds(3);

  const begin = async (): Promise<{ key: string; taskId: string }> => {
    const { key } = await cluster.account({ credits: 50_000 });
    const fields = { action: 'translation', source_lang: 'fr', target_lang: 'en', glossary_strategy: 'merge' };
    const file = { content: text, fileName: 'moulin.md' };
    const created = await create(api, key, { ...fields, estimated_chars: text.length }, { file });
    assert.equal(created.status, 201, created.text);
    return { key, taskId: created.body.data.task_id };
  };
  const result = async ({ key, taskId }: { key: string; taskId: string }) => {
    const task = await untilEnded(api, key, taskId);
    assert.deepEqual([task.status, task.credits_charged], ['completed', task.char_count], JSON.stringify(task.error));
    const files: Record<string, string> = {};
    for (const fileId of ['translated', 'bilingual', 'glossary']) {
      const { body } = await api.call('GET', `/api/v1/tasks/${taskId}/download?file_id=${fileId}`, { key });
      const content = Buffer.from(await (await fetch(body.data.download_url)).arrayBuffer());
      files[fileId] = createHash('sha256').update(content).digest('hex');
    }
    return { characters: task.char_count, files };
  };

  const undisturbed = await result(await begin());
  for (let kill = 0; kill < kills; kill++) {
    const book = await begin();
    let engine: number | undefined;
    while (engine === undefined || !(await isTranslating(book.taskId))) {
      engine = draftProcessUnder(worker.pid);
      await sleep(20);
    }
    await sleep(seeded(seed, 'moment', kill) * 1_000);
    assert.equal((await cluster.attempts(book.taskId)).status, 'pending', 'the kill comes before the end');
    if (kill % 2 === 0) {
      await worker.kill();
      worker = await cluster.start('worker');
    } else process.kill(engine, 'SIGKILL');
    assert.deepEqual(await result(book), undisturbed);
  }

  async function isTranslating(taskId: string): Promise<boolean> {
    const { rows } = await cluster.pool.query('select stage from tasks where id = $1', [taskId]);
    return rows[0]?.stage === 'translating';
  }
});

/** The process that holds the model, somewhere below the worker. */
function draftProcessUnder(workerPid: number): number | undefined {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n');
  const rows = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []);
  const parents = new Map(rows.map(([, pid, parent]) => [Number(pid), Number(parent)]));
  const engine = rows.find(([, pid, , args = '']) => {
    if (!args.includes('draft-process')) return false;
    let above: number | undefined = Number(pid);
    while (above !== undefined && above > 1 && above !== workerPid) above = parents.get(above);
    return above === workerPid;
  });
  return engine === undefined ? undefined : Number(engine[1]);
}
