/**
 * The primary of a replicated PostgreSQL 15 is lost under load and its standby takes over. Needs PostgreSQL 15 and the
 * S3 server.
 */
import { strict as assert } from 'node:assert';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertBooksBalance } from '../support/audit.ts';
import { requirePrograms } from '../support/proof.ts';
import { spawnSimulatedLlm } from '../support/simulated-llm/child.ts';
import { within } from '../support/workers.ts';
import { Fleet, newBucket } from './support/fleet.ts';
import { assertChargedOnce, FleetLoad } from './support/fleet-load.ts';
import { startRadosgw } from './support/radosgw.ts';
import { startReplicatedPostgres } from './support/standby.ts';

requirePrograms({
  '/usr/lib/postgresql/15/bin/initdb': 'Debian package postgresql-15',
  dpkg: 'the S3 server is unpacked from Debian 12 packages',
});

const cleanups: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});
const credits = 50_000_000;
const outageMs = 8_000;

test('a database that fails over: 503 with Retry-After while it is away, then the same processes go on, and no acknowledged task is lost or charged twice', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-failover-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const folders = { primary: join(folder, 'one'), standby: join(folder, 'two'), address: join(folder, 'address') };
  for (const each of Object.values(folders)) await mkdir(each).then(() => chmod(each, 0o777));
  const [database, gateway, engine] = await Promise.all([
    startReplicatedPostgres('/usr/lib/postgresql/15/bin', folders),
    startRadosgw(),
    spawnSimulatedLlm({ latencyMs: 200, perTokenMs: 0 }),
  ]);
  cleanups.push(
    () => database.stop(),
    () => gateway.stop(),
    () => engine.stop(),
  );
  const fleet = new Fleet(join(folder, 'fleet'), {
    TOLEDO_DATABASE_URL: database.url,
    ...(await newBucket(gateway, 'failover')),
    TOLEDO_ENGINE: 'openai-compatible',
    TOLEDO_ENGINE_BASE_URL: engine.url,
    TOLEDO_ENGINE_MODEL: 'simulated',
    TOLEDO_WORKER_SHORT_TASKS: '3',
  });
  cleanups.push(() => fleet.abandon());
  const [api] = await Promise.all([fleet.startApi(), fleet.startApi(), fleet.startWorker(), fleet.startWorker()]);
  const load = await FleetLoad.start(fleet, { partners: 2, atOnce: 4, credits, downloadsFrom: gateway.endpoint });
  await load.untilEnded(10);

  await database.losePrimary();
  const key = load.partners[0]?.key;
  const usage = () => fetch(`${api.rootUrl}/api/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
  const away = await usage();
  const { error } = JSON.parse(await away.text());
  assert.deepEqual([away.status, error.code, away.headers.get('retry-after')], [503, 'UNAVAILABLE', '2']);
  const health = await Promise.all(
    ['/healthz', '/readyz'].map(async (path) => (await fetch(api.rootUrl + path)).status),
  );
  assert.deepEqual(health, [200, 503]);
  await sleep(outageMs);
  await database.promote();
  const answeredMs = await within(async () => (await usage()).status === 200, 30_000, 'an answer');
  const before = load.ended;
  await load.untilEnded(before + 20);
  await load.finish();

  const { tasks, takenAgain } = await assertChargedOnce(database.url, load, credits);
  await assertBooksBalance(database.url);
  for (const { child } of fleet.machines) assert.equal(child.exitCode, null, 'no process ended');
  context.diagnostic(
    `away for ${outageMs} ms, answering ${answeredMs} ms after the standby was promoted; ${tasks} tasks, ${takenAgain} taken again, ${load.triedAgain} calls made again`,
  );
  await fleet.stop();
});
