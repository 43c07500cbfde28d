/**
 * What we say that an engine has cost is what its server bills, to the last digit, while 22 % of the calls go wrong in every way that a
 * server has; and a budget of the day ends the calls before it is passed. Size: calls.
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readCosts } from '../../src/operators/engine-spending-store.ts';
import { proofRun } from '../support/proof.ts';
import { scaledTuning } from '../support/scaled-tuning.ts';
import { type FaultKind, faultKinds } from '../support/simulated-llm/faults.ts';
import { sampleSegment } from '../support/simulated-llm/sample-segment.ts';
import { startSimulatedLlm } from '../support/simulated-llm/server.ts';
import { create } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { eventually } from '../support/workers.ts';

const { size, seed } = proofRun({ short: 1_000, long: 10_000 });
/** Nobody bills a call that was turned away. */
const turnedAway: readonly FaultKind[] = [
  ...(['rate-limit-1', 'rate-limit-120', 'rate-limit-date', 'rate-limit-none', 'server-500', 'server-503'] as const),
  ...(['overloaded-529', 'refused-connection'] as const),
];
/** What a server never tells is estimated and kept apart; a spend limit or a silence would only make the proof long. */
const leftOut: readonly FaultKind[] = ['spend-limit', 'hang-before', 'hang-during', 'reset', 'rate-limit-date'];
const faults = faultKinds.filter((kind) => !leftOut.includes(kind));
const prices = { input: 1.37, output: 9.41 };
const concurrency = 16;

const timeScale = 0.002;
const servers = await Promise.all(
  [seed, seed + 1].map((of) =>
    startSimulatedLlm({ timeScale, capacity: 64, seed: of, faultRate: 0.22, faults, latencyMs: 0, perTokenMs: 0 }),
  ),
);
after(() => Promise.all(servers.map((server) => server.stop())));
const folder = await mkdtemp(join(tmpdir(), 'toledo-bill-'));
after(() => rm(folder, { recursive: true, force: true }));
const budget = 0.5;
const engines = servers.map((server, i) => ({
  ...{ name: i === 0 ? 'billed' : 'limited', kind: 'openai-compatible', base_url: server.url, model: `m${i}` },
  ...{ concurrency, prices, structured_output: 'schema', ...(i === 0 ? {} : { budget_per_day: budget }) },
}));
const routes = [
  { target: 'en', engines: ['billed'] },
  { target: 'fr', engines: ['limited'] },
];
await writeFile(join(folder, 'engines.json'), JSON.stringify({ engines, routes }));
const tuning = scaledTuning(timeScale);
const app = await startTestApp({
  env: { TOLEDO_ENGINES: join(folder, 'engines.json') },
  // A call that another one overtakes is billed for what nobody read: estimated, and kept apart.
  engineTuning: { ...tuning, stragglers: { ...tuning.stragglers, share: 0, initial: 0, hopelessMs: 600_000 } },
});
const { db } = app.application.database;
const { id: account, key } = await app.account({ credits: 1_000_000 });
/** Whose calls they are. A test key's task asks no engine by itself. */
const sandbox = await app.newKey(account, 'test');
const order = { action: 'translation', target_lang: 'de', text: 'The lamp was out.' };
const task = (await create(app, sandbox.key, order)).body.data.task_id;
assert.ok(key);

const signal = new AbortController().signal;
const costOf = async (engine: string) => {
  const today = new Date().toISOString().slice(0, 10);
  const lines = await readCosts(db, { from: today, to: today, byAccount: false, limit: 100 });
  return lines.find((line) => line.engine === engine);
};
/** In millionths of a millionth, as a server would add it up. */
const billOf = (server: (typeof servers)[number]): bigint =>
  server.log.calls
    .filter(({ fault }) => fault === undefined || !turnedAway.includes(fault))
    .reduce(
      (sum, { inputTokens, outputTokens }) =>
        sum +
        BigInt(inputTokens) * BigInt(Math.round(prices.input * 1e6)) +
        BigInt(outputTokens) * BigInt(Math.round(prices.output * 1e6)),
      0n,
    );

async function ask(targetLang: string, enough: () => boolean): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (!enough()) {
      next += 1;
      const request = { ...sampleSegment(next, 60), targetLang };
      await app.application.engines.translate(request, { account, task, signal }).catch(() => {});
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
}

test(`the cost of ${size} calls with 22 % faults is the bill of the server`, async () => {
  const [server] = servers as [(typeof servers)[number]];
  await ask('en', () => server.log.calls.length >= size);
  const asked = server.log.calls.length;
  await eventually(async () => Number((await costOf('billed'))?.calls) === asked, `${asked} calls counted`);
  const line = await costOf('billed');
  const faulty = server.log.calls.filter(({ fault }) => fault !== undefined).length;
  console.table([{ calls: asked, faulty, cost: line?.cost, estimated: line?.estimatedCost }]);
  assert.ok(faulty / asked > 0.18 && faulty / asked < 0.26, `${faulty} of ${asked} calls went wrong`);
  assert.equal(fromDecimal(line?.cost ?? ''), billOf(server));
  assert.equal(fromDecimal(line?.estimatedCost ?? ''), 0n);
});

test('a budget of the day ends the calls before it is passed', async () => {
  const [, server] = servers as [unknown, (typeof servers)[number]];
  const isOver = () => app.application.engines.status().find(({ name }) => name === 'limited')?.isOverBudget === true;
  await ask('fr', () => isOver() || server.log.calls.length > 20_000);
  assert.ok(isOver(), 'the budget is used up');
  const spent = Number(billOf(server)) / 1e12;
  console.table([{ calls: server.log.calls.length, budget, spent }]);
  assert.ok(spent <= budget && spent > 0.8 * budget, `${spent} of ${budget} was spent`);
});

/** In millionths of a millionth. */
function fromDecimal(decimal: string): bigint {
  const [whole = '0', part = ''] = decimal.split('.');
  return BigInt(whole + part.slice(0, 12).padEnd(12, '0'));
}
