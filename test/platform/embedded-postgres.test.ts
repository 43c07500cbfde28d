import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type {
  EmbeddedPostgres,
  EmbeddedPostgresOptions,
} from '../../src/platform/embedded-postgres/embedded-server.ts';
import { findRunningEmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { cleanUp, isRunning, query, testFolder } from '../support/embedded-postgres-starter.ts';

const log = () => {};

// Mostly waiting for initdb and fsync, so two at a time.
describe('the embedded database', { concurrency: 2 }, () => {
  test('starts on an empty folder, durable and without a TCP port, and keeps its rows over a clean stop', async (t) => {
    const dataDir = join(await testFolder(t), 'data');
    const cold = await start(t, dataDir);
    const settings = ['fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums', 'listen_addresses'];
    const rows = await query(
      cold.url,
      `select name, setting from pg_settings where name in ('${settings.join("','")}')`,
    );
    assert.deepEqual(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])), {
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      data_checksums: 'on',
      listen_addresses: '',
    });
    const identity = `select current_database() as name, pg_get_userbyid(datdba) as owner, pg_encoding_to_char(encoding) as encoding,
      datcollate as locale from pg_database where datname = current_database()`;
    assert.deepEqual(await query(cold.url, identity), [
      { name: 'toledo', owner: 'toledo', encoding: 'UTF8', locale: 'C' },
    ]);
    assert.equal((await stat(socketDirOf(cold.url))).mode & 0o777, 0o700);
    assert.deepEqual(await findRunningEmbeddedPostgres(dataDir), { url: cold.url, pid: cold.pid });
    await query(cold.url, 'create table note as select 7 as number');

    await Promise.all([cold.stop(), cold.stop()]);
    assert.deepEqual(await cold.exited, { code: 0, signal: null });
    assert.equal(isRunning(cold.pid), false);
    assert.equal(existsSync(lockFileOf(dataDir)), false);
    assert.equal(await findRunningEmbeddedPostgres(dataDir), undefined);

    const warm = await start(t, dataDir);
    assert.equal(warm.adopted, false);
    assert.deepEqual(await query(warm.url, 'select number from note'), [{ number: 7 }]);
  });

  test('is not held up by a lock file that names a dead process or another program of its account', async (t) => {
    const dataDir = await testFolder(t);
    const first = await start(t, dataDir);
    const lockFile = await readFile(lockFileOf(dataDir), 'utf8');
    const cluster = await stat(join(dataDir, 'postgres', 'cluster'));
    await first.stop();

    const foreign = spawn('sleep', ['60'], { uid: cluster.uid, gid: cluster.gid, cwd: '/', stdio: 'ignore' });
    cleanUp(t, () => foreign.kill('SIGKILL'));
    for (const pid of [first.pid, foreign.pid]) {
      await writeFile(lockFileOf(dataDir), lockFile.replace(/^\d+/, String(pid)));
      assert.equal(await findRunningEmbeddedPostgres(dataDir), undefined);
      const again = await start(t, dataDir);
      assert.equal(again.adopted, false);
      await again.stop();
    }
    assert.equal(isRunning(foreign.pid ?? -1), true);
  });

  test('of another version, or of nobody, is refused with a sentence that names the way out', async (t) => {
    const dataDir = await testFolder(t);
    const cluster = join(dataDir, 'postgres', 'cluster');
    await mkdir(cluster, { recursive: true });
    await assert.rejects(start(t, dataDir), /no PG_VERSION.*TOLEDO_DATABASE_URL/s);
    await writeFile(join(cluster, 'PG_VERSION'), '14\n');
    await assert.rejects(start(t, dataDir), /made by PostgreSQL 14.*TOLEDO_DATABASE_URL/s);
  });

  test('says why it did not start', async (t) => {
    const dataDir = await testFolder(t);
    await (await start(t, dataDir)).stop();
    await writeFile(join(dataDir, 'postgres', 'cluster', 'postgresql.auto.conf'), 'no_such_setting = 1\n');
    await assert.rejects(start(t, dataDir), /did not start: .*configuration file.*server\.log.*TOLEDO_DATABASE_URL/s);
  });
});

/** Starts it in this process and makes sure it is gone after the test. */
async function start(t: TestContext, dataDir: string, options: Partial<EmbeddedPostgresOptions> = {}) {
  const database: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir, log, ...options });
  cleanUp(t, () => database.stop());
  return database;
}

function lockFileOf(dataDir: string): string {
  return join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
}

function socketDirOf(url: string): string {
  return new URL(url).searchParams.get('host') ?? '';
}
