/**
 * Several workers share what an engine may spend in a day: together they stop before the budget is passed, also when one of them is killed
 * meanwhile. The tasks say why they wait, the console says it to the operator, and with a higher budget all of them complete.
 * Size: tasks of 40,000 characters.
 */
import { strict as assert } from 'node:assert';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startFaultCluster } from '../support/fault-cluster.ts';
import { proofRun } from '../support/proof.ts';
import { create, untilEnded } from '../support/task-client.ts';
import { story } from '../support/texts.ts';
import { toledo } from '../support/toledo-process.ts';
import { eventually } from '../support/workers.ts';

const { size: tasks, seed } = proofRun({ short: 4, long: 12 });
const prices = { input: 1.1, output: 4.4 };
const taskCharacters = 40_000;
/** For somewhat more than half of the work. */
const budget = 0.06 * tasks;

test(`${tasks} tasks on two workers, one of them killed: ${budget.toFixed(2)} of the day is not passed`, async (context) => {
  const cluster = await startFaultCluster({
    llm: { timeScale: 0.02, capacity: 64, seed },
    engine: { prices, budget_per_day: budget, structured_output: 'schema', concurrency: 8 },
  });
  const api = await cluster.start('api');
  let workers = [await cluster.start('worker'), await cluster.start('worker')];
  const { key } = await cluster.account({ credits: 10_000_000 });
  const billed = async (): Promise<number> => {
    const { inputTokens = 0, outputTokens = 0 } = (await cluster.llm?.totals()) ?? {};
    return (inputTokens * prices.input + outputTokens * prices.output) / 1e6;
  };
  const ids = await Promise.all(
    Array.from({ length: tasks }, async (_, n) => {
      const fields = {
        action: 'translation',
        source_lang: 'en',
        target_lang: 'de',
        text: story(taskCharacters, seed + n),
      };
      return (await create(api, key, fields)).body.data.task_id as string;
    }),
  );
  await eventually(async () => (await billed()) > budget / 3, 'a third of the budget');
  const [victim, ...others] = workers;
  await victim?.kill();
  workers = [...others, await cluster.start('worker')];

  const detailOf = async (id: string) =>
    (await api.call('GET', `/api/v1/tasks/${id}`, { key })).body.data.stage_detail?.code;
  const isWaiting = async () => (await Promise.all(ids.map(detailOf))).some((code) => code === 'ENGINE_BUDGET');
  const waitedMs = await eventually(isWaiting, 'a task that says why it waits');
  const link = await toledo(['console', 'link', '--json'], {
    TOLEDO_DATA_DIR: cluster.dataDir,
    TOLEDO_DATABASE_URL: cluster.databaseUrl,
  });
  const { search } = new URL(JSON.parse(link.stdout).url);
  const entered = await fetch(`${api.rootUrl}/console/sign-in${search}`, { redirect: 'manual' });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  const page = await (await fetch(`${api.rootUrl}/console/tasks`, { headers: { cookie } })).text();
  assert.match(page, /role="alert"><p>simulated has used up its budget of the day; tasks wait for the next day/u);

  const spent = await billed();
  assert.ok(spent <= budget, `${spent} of ${budget} was billed`);
  assert.ok(spent > 0.7 * budget, `${spent} of ${budget} was billed`);
  const before = await Promise.all(ids.map((id) => cluster.attempts(id)));
  assert.ok(before.some(({ status }) => status === 'pending'));
  assert.ok(before.every(({ status, faults }) => status !== 'failed' && faults === 0));

  const file = join(cluster.dataDir, 'engines.json');
  const settings = JSON.parse(await readFile(file, 'utf8'));
  settings.engines[0].budget_per_day = 100 * budget;
  await writeFile(file, JSON.stringify(settings));
  await Promise.all(workers.map((worker) => worker.stop()));
  assert.ok((await billed()) <= budget, 'not while they stopped either');
  await Promise.all(workers.map((worker) => worker.startAgain()));
  for (const id of ids) assert.equal((await untilEnded(api, key, id)).status, 'completed');
  const all = await billed();
  assert.ok(all > budget);
  context.diagnostic(JSON.stringify({ budget, spent, spentInTheEnd: all, waitedMs }));
});
