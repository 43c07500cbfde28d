/**
 * Duplicates of a create call that waits for its result, over two processes: one engine call, one charge, one body.
 * Size: seconds that the engine takes.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFaultCluster } from '../support/fault-cluster.ts';
import { proofRun } from '../support/proof.ts';
import { create, creditsOf } from '../support/task-client.ts';
import { story } from '../support/texts.ts';

const { size: stallSeconds } = proofRun({ short: 3, long: 12 });
const stallMs = stallSeconds * 1000;

test(`50 duplicates over two processes during an extraction of ${stallSeconds} s: one engine call, one charge, the same body or "in progress"`, async (t) => {
  const cluster = await startFaultCluster({ llm: { latencyMs: stallMs, perTokenMs: 0 } });
  const [one, other] = await Promise.all([cluster.start('api'), cluster.start('api'), cluster.start('worker')]);
  const { key } = await cluster.account({ credits: 10_000 });
  const fields = { action: 'glossary_extraction', target_lang: 'de', char_limit: 900, text: story(2_000, 4) };
  const bodies = new Set<string>();
  const statuses: Record<string, number> = {};
  const send = async (number: number): Promise<void> => {
    const answer = await create(number % 2 === 0 ? one : other, key, fields, { idempotencyKey: 'stalled' });
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (answer.status === 201) return void bodies.add(answer.text);
    assert.deepEqual([answer.status, answer.body.error.code], [409, 'REQUEST_IN_PROGRESS']);
    const waitSeconds = Number(answer.headers.get('retry-after'));
    assert.ok(waitSeconds >= 1);
    await sleep(waitSeconds * 1000);
    await send(number);
  };
  // Spread over the stall: some come while the first is being created, some in the middle, some near the end.
  await Promise.all(
    Array.from({ length: 51 }, async (_, number) => {
      await sleep((number / 50) * (stallMs - 1_000));
      await send(number);
    }),
  );
  assert.equal(bodies.size, 1, 'one body');
  const { data } = JSON.parse([...bodies][0] ?? '{}');
  assert.equal(data.status, 'completed');
  // The worker's own call at its start, by which it learns whether the engine answers, asks for a translation.
  const { length: calls } = ((await cluster.llm?.calls()) ?? []).filter(({ task }) => task === 'extract');
  assert.equal(calls, 1);
  assert.deepEqual(await creditsOf(one, key), {
    balance: 10_000 - data.char_count,
    reserved: 0,
    used: data.char_count,
  });
  t.diagnostic(`${JSON.stringify(statuses)}, ${calls} engine call`);
});
