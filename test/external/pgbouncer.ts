/**
 * The service through Debian's PgBouncer (1.18, which knows no prepared statements) in transaction mode, in front of
 * PostgreSQL 15. Needs PostgreSQL 15, PgBouncer and the S3 server.
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { assertBooksBalance } from '../support/audit.ts';
import { startEmptyDatabase } from '../support/installed-postgres.ts';
import { requirePrograms } from '../support/proof.ts';
import { spawnSimulatedLlm } from '../support/simulated-llm/child.ts';
import { administer } from '../support/test-database.ts';
import { eventually } from '../support/workers.ts';
import { ConnectionCount } from './support/connection-count.ts';
import { Fleet, newBucket } from './support/fleet.ts';
import { assertChargedOnce, FleetLoad } from './support/fleet-load.ts';
import { startPgBouncer } from './support/pgbouncer.ts';
import { startRadosgw } from './support/radosgw.ts';

requirePrograms({
  '/usr/lib/postgresql/15/bin/initdb': 'Debian package postgresql-15',
  dpkg: 'the S3 server is unpacked from Debian 12 packages',
});

const cleanups: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});
const folder = await mkdtemp(join(tmpdir(), 'toledo-pooled-'));
cleanups.push(() => rm(folder, { recursive: true, force: true }));
const database = await startEmptyDatabase('/usr/lib/postgresql/15/bin');
cleanups.push(() => database.stop());
const poolSize = 6;
const pooler = await startPgBouncer({
  databaseUrl: database.url,
  poolSize,
  connectQuery: "set statement_timeout = ''10s''; set idle_in_transaction_session_timeout = ''10s''",
});
cleanups.push(() => pooler.stop());
const credits = 50_000_000;

test('without TOLEDO_DATABASE_DIRECT_URL a process refuses to start behind PgBouncer, and says which setting is missing', async () => {
  const ignoring = await startPgBouncer({
    databaseUrl: database.url,
    poolSize: 2,
    settings: ['ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout'],
  });
  cleanups.push(() => ignoring.stop());
  for (const { url } of [pooler, ignoring]) {
    const fleet = new Fleet(join(folder, 'refused'), { TOLEDO_DATABASE_URL: url });
    cleanups.push(() => fleet.abandon());
    await assert.rejects(
      fleet.startApi(),
      /serve ended with 1: [\s\S]*PgBouncer: set TOLEDO_DATABASE_DIRECT_URL to the address of PostgreSQL itself/,
    );
  }
  // It keeps a connection open, which would be counted below.
  await ignoring.stop();
});

test(`2 APIs and 2 workers share ${poolSize} connections of PgBouncer in transaction mode: the whole flow, a worker killed, every connection of the server cut`, async (context) => {
  const [gateway, engine] = await Promise.all([startRadosgw(), spawnSimulatedLlm({ latencyMs: 200, perTokenMs: 0 })]);
  cleanups.push(
    () => gateway.stop(),
    () => engine.stop(),
  );
  const fleet = new Fleet(folder, {
    TOLEDO_DATABASE_URL: pooler.url,
    TOLEDO_DATABASE_DIRECT_URL: database.url,
    ...(await newBucket(gateway, 'pooled')),
    TOLEDO_ENGINE: 'openai-compatible',
    TOLEDO_ENGINE_BASE_URL: engine.url,
    TOLEDO_ENGINE_MODEL: 'simulated',
    TOLEDO_ENGINE_CONCURRENCY: '8',
    TOLEDO_WORKER_SHORT_TASKS: '2',
    TOLEDO_WORKER_BOOKS: '2',
  });
  cleanups.push(() => fleet.abandon());
  await Promise.all([fleet.startApi(), fleet.startApi(), fleet.startWorker(), fleet.startWorker()]);
  const counting = await ConnectionCount.start(database.url);
  cleanups.push(() => counting.stop().catch(() => {}));
  const load = await FleetLoad.start(fleet, { partners: 2, atOnce: 4, credits, downloadsFrom: gateway.endpoint });
  await load.untilEnded(10);
  const [victim] = fleet.workers;
  assert.ok(victim);
  await fleet.kill(victim);
  await fleet.startWorker();
  await load.untilEnded(load.ended + 6);
  // As a failover cuts them: everything that the pooler and the workers have open, in the middle of statements.
  await administer(
    database.url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name <> 'counting'`,
  );
  await load.untilEnded(load.ended + 10);
  await load.finish();

  const { tasks, takenAgain } = await assertChargedOnce(database.url, load, credits);
  await assertBooksBalance(database.url);
  // The partners' short tasks end within seconds only if workers hear of them; this asks the server itself.
  await eventually(
    async () => (await listeners(database.url)) === 2,
    'a listening connection of each worker, around the pooler',
  );
  const logs = fleet.machines.map((machine) => machine.stderr()).join('');
  assert.doesNotMatch(logs, /prepared statement|channel registration was lost|no time limit/);
  const most = await counting.stop();
  context.diagnostic(
    `${pooler.version}: ${tasks} tasks, ${takenAgain} taken again, ${load.triedAgain} calls made again, most connections of the server ${JSON.stringify(most)}`,
  );
  assert.ok((most['toledo api'] ?? 0) <= poolSize && (most['toledo worker'] ?? 0) <= poolSize, JSON.stringify(most));
  assert.ok((most['toledo queue'] ?? 0) <= 3 * 5, 'five of each worker lead around it');
  await fleet.stop();
});

test('a session limit that nobody sets behind the pooler is named in the log', async () => {
  const bare = await startPgBouncer({ databaseUrl: database.url, poolSize: 2 });
  cleanups.push(() => bare.stop());
  const fleet = new Fleet(join(folder, 'bare'), {
    TOLEDO_DATABASE_URL: bare.url,
    TOLEDO_DATABASE_DIRECT_URL: database.url,
  });
  cleanups.push(() => fleet.abandon());
  const api = await fleet.startApi();
  assert.match(api.stderr(), /"settings":\["idle_in_transaction_session_timeout","statement_timeout"\].*no time limit/);
});

/** Connections whose last statement was LISTEN, or the queue's question whether it still listens. */
async function listeners(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and application_name = 'toledo queue' and query ~ '^LISTEN|pg_listening_channels'`,
    );
    return rows[0].n;
  } finally {
    await client.end();
  }
}
