/**
 * Three APIs and four workers on PostgreSQL 15 and S3, with workers added, drained and killed and an API replaced under
 * load. Needs PostgreSQL 15 and the S3 server.
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { assertBooksBalance } from '../support/audit.ts';
import { startEmptyDatabase } from '../support/installed-postgres.ts';
import { requirePrograms } from '../support/proof.ts';
import { spawnSimulatedLlm } from '../support/simulated-llm/child.ts';
import { ConnectionCount } from './support/connection-count.ts';
import { endedBy, Fleet, filesOf, newBucket } from './support/fleet.ts';
import { assertChargedOnce, FleetLoad } from './support/fleet-load.ts';
import { startRadosgw } from './support/radosgw.ts';

requirePrograms({
  '/usr/lib/postgresql/15/bin/initdb': 'Debian package postgresql-15',
  dpkg: 'the S3 server is unpacked from Debian 12 packages',
});

const cleanups: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});
const credits = 50_000_000;

test('3 APIs and 4 workers without a shared disk: workers come, drain and are killed, an API is replaced, and every task ends once', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-fleet-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const database = await startEmptyDatabase('/usr/lib/postgresql/15/bin');
  cleanups.push(() => database.stop());
  const [gateway, engine] = await Promise.all([startRadosgw(), spawnSimulatedLlm({ latencyMs: 300, perTokenMs: 0 })]);
  cleanups.push(
    () => gateway.stop(),
    () => engine.stop(),
  );
  const fleet = new Fleet(folder, {
    TOLEDO_DATABASE_URL: database.url,
    ...(await newBucket(gateway, 'fleet')),
    TOLEDO_ENGINE: 'openai-compatible',
    TOLEDO_ENGINE_BASE_URL: engine.url,
    TOLEDO_ENGINE_MODEL: 'simulated',
    TOLEDO_ENGINE_CONCURRENCY: '8',
    // Few slots, so that every worker always has something in hand.
    TOLEDO_WORKER_SHORT_TASKS: '2',
    TOLEDO_WORKER_BOOKS: '2',
  });
  cleanups.push(() => fleet.abandon());

  // All at once, on a database without a schema: the first makes it, the others wait.
  const roles = ['api', 'api', 'api', 'worker', 'worker', 'worker', 'worker'] as const;
  await Promise.all(roles.map((role) => (role === 'api' ? fleet.startApi() : fleet.startWorker())));
  const counting = await ConnectionCount.start(database.url);
  cleanups.push(() => counting.stop().catch(() => {}));
  const started = performance.now();
  const load = await FleetLoad.start(fleet, { partners: 4, atOnce: 5, credits, downloadsFrom: gateway.endpoint });
  await load.untilEnded(20);

  const [draining, alsoDraining, victim] = fleet.workers;
  assert.ok(draining && alsoDraining && victim);
  const [added] = await Promise.all([fleet.startWorker(), fleet.startWorker()]);
  await load.untilEnded(load.ended + 15);
  await Promise.all([fleet.leave(draining), fleet.leave(alsoDraining)]);
  await load.untilEnded(load.ended + 10);
  await fleet.kill(victim);
  const oldApi = fleet.apis[1];
  assert.ok(oldApi);
  const newApi = await fleet.replaceApi(oldApi);
  await load.untilEnded(load.ended + 20);
  await load.finish();
  const seconds = (performance.now() - started) / 1_000;

  const { tasks, takenAgain } = await assertChargedOnce(database.url, load, credits);
  await assertBooksBalance(database.url);
  assert.ok(takenAgain > 0, 'the drained and the killed worker had work in hand');
  assert.ok((await endedBy(added)) > 0, 'an added worker took its share');
  assert.match(
    await (await fetch(`${newApi.rootUrl}/metrics`)).text(),
    /toledo_http_requests_total\{.*status="2/,
    'the new API answered partners',
  );
  const most = await counting.stop();
  context.diagnostic(
    `${tasks} tasks of 4 partners in ${seconds.toFixed(1)} s, ${takenAgain} taken again by another worker, ${load.triedAgain} calls made again`,
  );
  context.diagnostic(`most connections at once: ${JSON.stringify(most)}`);
  // At most 3 APIs of 10, and 6 workers of 10 + 5 at once: see docs/operating/many-machines.md.
  assert.ok((most['toledo api'] ?? 0) <= 30 && (most['toledo worker'] ?? 0) <= 60 && (most['toledo queue'] ?? 0) <= 30);

  await fleet.stop();
  for (const machine of fleet.machines) {
    const left = (await filesOf(machine)).filter((path) => !(machine.killed && path.startsWith('tmp/')));
    assert.deepEqual(left, [], `nothing is kept on the disk of ${machine.dataDir}`);
  }
});
