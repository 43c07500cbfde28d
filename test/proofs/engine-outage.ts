/**
 * An engine that is down, or that asks for a long wait, is left alone, and the work goes on when it is back, in real
 * time. Size: seconds of the outage.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultCluster, type Member, startFaultCluster } from '../support/fault-cluster.ts';
import { proofRun } from '../support/proof.ts';
import type { BriefCall } from '../support/simulated-llm/call-log.ts';
import { create, creditsOf, untilEnded } from '../support/task-client.ts';
import { story } from '../support/texts.ts';
import { eventually, within } from '../support/workers.ts';

const { size: outageSeconds, isLong } = proofRun({ short: 3, long: 300 });
/** The simulated server asks for 120 s, which the short run scales down. */
const timeScale = isLong ? 1 : 0.05;
const waitMs = 120_000 * timeScale;
const probeIntervalMs = 10_000;
const concurrency = 8;
/** Between sending and arriving on a busy machine; the interval is kept by the sender. */
const toleranceMs = 500;

async function threeBooks(latencyMs: number): Promise<{ cluster: FaultCluster; api: Member; books: Book[] }> {
  const cluster = await startFaultCluster({
    llm: { latencyMs, perTokenMs: 0, seed: 11 },
    engine: { max_input_characters: 300, concurrency },
  });
  const [api] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
  const books = await Promise.all(
    [1, 2, 3].map(async (number) => {
      const { key } = await cluster.account({ credits: 1_000_000 });
      const fields = {
        action: 'translation',
        source_lang: 'en',
        target_lang: 'de',
        text: story(isLong ? 30_000 : 9_000, number),
      };
      return { key, taskId: (await create(api, key, fields)).body.data.task_id as string };
    }),
  );
  return { cluster, api, books };
}

interface Book {
  key: string;
  taskId: string;
}

const progressOf = async (cluster: FaultCluster, books: readonly Book[]) =>
  (await Promise.all(books.map(({ taskId }) => cluster.attempts(taskId)))).reduce(
    (sum, { progress }) => sum + progress,
    0,
  );

async function assertWaitingFree(api: Member, books: readonly Book[]): Promise<void> {
  for (const { key, taskId } of books) {
    const task = (await api.call('GET', `/api/v1/tasks/${taskId}`, { key })).body.data;
    assert.equal(task.status, 'pending');
    assert.deepEqual(await creditsOf(api, key), {
      balance: 1_000_000 - task.char_count,
      reserved: task.char_count,
      used: 0,
    });
  }
}

test(`an engine that is down for ${outageSeconds} s: at most 10 failures and one probe per 10 s, nothing charged, back within 30 s`, async (t) => {
  const { cluster, api, books } = await threeBooks(300);
  const { llm } = cluster;
  assert.ok(llm);
  await eventually(async () => (await progressOf(cluster, books)) > 0.4, 'work under way');
  await llm.configure({ outage: 'server-503' });
  await sleep(outageSeconds * 1000);
  const failed = (await llm.calls()).filter((call) => call.fault === 'server-503');
  const probes = assertFewProbes(failed);
  await assertWaitingFree(api, books);
  const before = await progressOf(cluster, books);
  await llm.configure({ outage: undefined });
  const recoveredMs = await within(async () => (await progressOf(cluster, books)) > before, 30_000, 'recovery');
  for (const { key, taskId } of books) {
    const task = await untilEnded(api, key, taskId);
    assert.deepEqual([task.status, task.credits_charged], ['completed', task.char_count]);
  }
  const calls = await llm.calls();
  const wanted = new Set(calls.map(({ task, fingerprint }) => `${task} ${fingerprint}`)).size;
  assert.ok(calls.length <= wanted * 1.2, `${calls.length} calls for ${wanted}`);
  t.diagnostic(
    `${failed.length - probes} failures, then ${probes} probes; progress again after ${recoveredMs} ms; ${calls.length} calls for ${wanted} requests`,
  );
});

/** The failures that open the breaker come in the beginning, after that there are only probes. Returns their number. */
function assertFewProbes(failed: readonly BriefCall[]): number {
  const at = failed.map(({ arrivedAt }) => arrivedAt - (failed[0]?.arrivedAt ?? 0));
  const opened = at.findLastIndex((time, index) => time - (at[index - 1] ?? 0) < probeIntervalMs - toleranceMs);
  const times = at.map((time) => (time / 1000).toFixed(1)).join(' ');
  // Beside the ten there is what was on its way when the tenth failed.
  assert.ok(opened >= 0 && opened < 10 + concurrency && (at[opened] ?? 0) < 30_000, `failures at ${times} s`);
  return at.length - opened - 1;
}

test(`an engine that asks for ${waitMs / 1000} s gets no call at all for ${waitMs / 1000} s, and then the work goes on`, async (t) => {
  const { cluster, api, books } = await threeBooks(300);
  const { llm } = cluster;
  assert.ok(llm);
  await eventually(async () => (await progressOf(cluster, books)) > 0.4, 'work under way');
  await llm.configure({ script: ['rate-limit-120'], timeScale });
  const refused = async () => (await llm.calls()).find((call) => call.fault === 'rate-limit-120');
  await eventually(async () => (await refused()) !== undefined, 'the refusal');
  const at = (await refused())?.arrivedAt ?? 0;
  await sleep(waitMs / 2);
  await assertWaitingFree(api, books);
  for (const { key, taskId } of books) assert.equal((await untilEnded(api, key, taskId)).status, 'completed');
  const calls = await llm.calls();
  // Calls that were on their way together with the refused one are no answer to it.
  const after = calls.filter(({ arrivedAt }) => arrivedAt > at + 1_000).map(({ arrivedAt }) => arrivedAt - at);
  assert.ok(Math.min(...after) >= waitMs - toleranceMs, `a call after ${Math.min(...after)} ms`);
  t.diagnostic(`the next call came after ${(Math.min(...after) / 1000).toFixed(1)} s`);
});
