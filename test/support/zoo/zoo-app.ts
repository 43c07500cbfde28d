/** The whole application with every animal as an engine, and a task through one of them with all that is promised about it. */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { forgetLearnedLimits } from '../../../src/engines/learned-limits-store.ts';
import type { RoutingTuning } from '../../../src/engines/routing/tuning.ts';
import { engineUsageOfTask } from '../../../src/operators/engine-usage-store.ts';
import { scaledTuning } from '../scaled-tuning.ts';
import { downloadText } from '../simulated-engine-app.ts';
import { create, untilEnded } from '../task-client.ts';
import { startTestApp, type TestApp } from '../test-app.ts';
import { eventually } from '../workers.ts';
import type { Animal, Behaviour } from './animal.ts';
import { animals } from './animals.ts';
import { chapters, zooBook } from './book.ts';
import { openZoo, type Resident, type Zoo } from './zoo.ts';

export interface ZooApp {
  app: TestApp;
  zoo: Zoo;
}

export async function startZooApp(): Promise<ZooApp> {
  const zoo = await openZoo();
  after(() => zoo.stop());
  const folder = await mkdtemp(join(tmpdir(), 'toledo-zoo-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const enginesFile = join(folder, 'engines.json');
  const routes = animals.map(({ name, targetLang }) => ({ target: targetLang, engines: [name] }));
  await writeFile(enginesFile, JSON.stringify({ engines: zoo.engines, routes }));
  const app = await startTestApp({
    env: { TOLEDO_ENGINES: enginesFile },
    engineTuning: withoutHedging(scaledTuning(0.02)),
  });
  return { app, zoo };
}

/** A call that is overtaken is billed for what nobody read: estimated, and tested where it is certain. */
function withoutHedging(tuning: RoutingTuning): RoutingTuning {
  return { ...tuning, stragglers: { ...tuning.stragglers, share: 0, initial: 0, hopelessMs: 600_000 } };
}

export interface ZooRow {
  animal: string;
  behaviour: Behaviour;
  calls: number;
  errors: number;
  untold: number;
  violations: number;
  missing: number;
  tokens: number;
  learned: string;
}

/** One book through one animal. Every promise is asserted here; the row is for a table. */
export async function proveAnimal({ app, zoo }: ZooApp, animal: Animal, behaviour: Behaviour): Promise<ZooRow> {
  const told = `${animal.name}, ${behaviour}`;
  await forget(app, animal);
  const resident = zoo.tell(animal.name, behaviour);
  const { key } = await app.account({ credits: 100_000 });
  const book = zooBook(`${animal.name}-${behaviour.length}`, behaviour === 'thinks 1,500 tokens' ? 1 : 4);
  const fields = { action: 'translation', source_lang: 'en', target_lang: animal.targetLang, text: book.text };
  const created = await create(app, key, fields);
  assert.equal(created.status, 201, created.text);
  const task = await untilEnded(app, key, created.body.data.task_id);
  const learned = app.application.engines.learned().get(animal.name);
  assert.equal(
    task.status,
    'completed',
    `${told}: ${JSON.stringify(task.error)} ${JSON.stringify(resident.bill, bigText)} ${learned?.inWords()}`,
  );

  const report = JSON.parse(await downloadText(app, key, task.task_id, 'report'));
  const failed = report.coverage.locations.filter(({ reason }: { reason: string }) => reason !== 'no_letters');
  const mustFail = behaviour === 'refuses one paragraph' ? [book.flagged] : [];
  const translated = (await downloadText(app, key, task.task_id)).split('\n\n');
  assert.equal(translated.length, book.text.split('\n\n').length, told);
  assert.deepEqual(
    translated.filter((text, i) => text === book.text.split('\n\n')[i] && !/^Chapter/u.test(text)),
    mustFail,
    told,
  );
  assert.deepEqual(
    failed.map(({ reason }: { reason: string }) => reason),
    mustFail.map(() => 'policy_blocked'),
    told,
  );
  assert.equal(task.credits_charged, task.char_count - mustFail.join('').length, told);

  // Sampled answers and the first wrong turns are free; then two calls for each segment, and for each passage that is read for names.
  const mostCalls = 10 + 2 * (chapters + 2);
  assert.ok(
    resident.bill.calls - resident.violations <= mostCalls,
    `${told}: ${resident.bill.calls} calls, ${resident.violations} over the limit`,
  );
  await assertBilled(app, task.task_id, resident, told);
  return {
    animal: animal.name,
    behaviour,
    calls: resident.bill.calls,
    errors: resident.bill.errors,
    untold: resident.bill.untold,
    violations: resident.violations,
    missing: failed.length,
    tokens: resident.bill.input + resident.bill.output,
    learned: learned?.inWords().join('; ') ?? '',
  };
}

/** What we have counted is what the server charges: calls, tokens and money to the last digit. */
async function assertBilled(app: TestApp, taskId: string, { bill }: Resident, told: string): Promise<void> {
  const { db } = app.application.database;
  const used = async () => (await engineUsageOfTask(db, taskId))[0];
  await eventually(async () => (await used())?.calls === bill.calls, `${told}: ${bill.calls} calls counted`);
  const ours = await used();
  assert.ok(ours);
  const { inputTokens, cachedInputTokens, outputTokens, unreportedCalls } = ours;
  assert.deepEqual(
    { input: inputTokens, cached: cachedInputTokens, output: outputTokens, untold: unreportedCalls },
    { input: bill.input, cached: bill.cached, output: bill.output, untold: bill.untold },
    told,
  );
  assert.equal(BigInt(Math.round(Number(ours.cost ?? 0) * 1e12)), bill.money, `${told}: the cost`);
}

/** As an operator does who has changed a server. */
export async function forget(app: TestApp, { name }: Animal): Promise<void> {
  const learned = app.application.engines.learned().get(name);
  if (learned === undefined) throw new Error(`${name} learns nothing`);
  await forgetLearnedLimits(app.application.database.db, [learned.key]);
  learned.forget();
}

function bigText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
