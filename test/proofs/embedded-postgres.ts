/** The embedded database is made once, by one process, and ends with it, whatever is killed and wherever its folder is. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import type {
  EmbeddedPostgres,
  EmbeddedPostgresOptions,
} from '../../src/platform/embedded-postgres/embedded-server.ts';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import {
  cleanUp,
  isRunning,
  query,
  spawnStarter,
  startInProcess,
  testFolder,
  waitFor,
} from '../support/embedded-postgres-starter.ts';

const log = () => {};

describe('the embedded database', { concurrency: 2 }, () => {
  test('shuts itself down when its parent is killed, and the next start finds every row', async (t) => {
    const dataDir = await testFolder(t);
    const parent = await startInProcess(dataDir);
    await query(parent.url, 'create table note as select 7 as number');
    await parent.kill();
    // Where the kernel offers no death signal the server stays, and the next start takes it over.
    if (process.platform === 'linux') {
      await waitFor('the server to go by itself', () => !isRunning(parent.pid));
      assert.equal(existsSync(lockFileOf(dataDir)), false);
    }
    const second = await startInProcess(dataDir);
    await second.kill();
    // This time without a pause: the old server may still be there, on its way out.
    const next = await start(t, dataDir);
    assert.deepEqual(await query(next.url, 'select number from note'), [{ number: 7 }]);
  });

  test('that has outlived its parent is stopped by the next start, which finds every row', async (t) => {
    const dataDir = await testFolder(t);
    const parent = await startInProcess(dataDir, true);
    await query(parent.url, 'create table note as select 7 as number');
    await parent.kill();
    assert.equal(isRunning(parent.pid), true);
    const next = await start(t, dataDir);
    assert.equal(next.adopted, false);
    assert.equal(isRunning(parent.pid), false);
    assert.deepEqual(await query(next.url, 'select number from note'), [{ number: 7 }]);
    await next.stop();
    assert.equal(isRunning(next.pid), false);
    assert.equal(existsSync(lockFileOf(dataDir)), false);
  });

  test('tells when it is killed, and starts again with every row, although a session still computes', async (t) => {
    const dataDir = await testFolder(t);
    const first = await start(t, dataDir);
    await query(first.url, 'create table note as select 7 as number');
    const busy = new pg.Client({ connectionString: first.url });
    busy.on('error', () => {});
    await busy.connect();
    const computing = busy.query('do $$ begin loop end loop; end $$').catch(() => 'broken');
    await waitFor('the session to compute', async () => {
      const sql = "select 1 from pg_stat_activity where state = 'active' and query like 'do %'";
      return (await query(first.url, sql)).length === 1;
    });
    process.kill(first.pid, 'SIGKILL');
    assert.deepEqual(await first.exited, { code: null, signal: 'SIGKILL' });
    const again = await start(t, dataDir);
    assert.deepEqual(await query(again.url, 'select number from note'), [{ number: 7 }]);
    assert.equal(await computing, 'broken');
  });

  test('is made once when three processes start it at once; only its starter stops it', async (t) => {
    const dataDir = await testFolder(t);
    const all = await Promise.all([1, 2, 3].map(() => startInProcess(dataDir)));
    cleanUp(t, () => Promise.all(all.map(({ kill }) => kill())));
    assert.equal(new Set(all.map(({ pid }) => pid)).size, 1);
    const owner = all.find(({ adopted }) => !adopted);
    const [second, third] = all.filter(({ adopted }) => adopted);
    assert.ok(owner && second && third);
    await second.stop();
    assert.equal(isRunning(owner.pid), true);
    await owner.stop();
    assert.equal(isRunning(owner.pid), false);
    await third.stop();
  });

  test('whose starter was killed is started again by a remaining user, who learns of its end', async (t) => {
    const dataDir = await testFolder(t);
    const owner = await startInProcess(dataDir);
    await query(owner.url, 'create table note as select 7 as number');
    const second = await start(t, dataDir);
    assert.deepEqual([second.adopted, second.pid], [true, owner.pid]);
    await owner.kill();
    await second.exited;
    const again = await start(t, dataDir);
    assert.equal(again.adopted, false);
    assert.deepEqual(await query(again.url, 'select number from note'), [{ number: 7 }]);
  });

  test('survives a kill in the middle of its creation and leaves nothing half made', async (t) => {
    const dataDir = await testFolder(t);
    const parent = spawnStarter(dataDir);
    const base = join(dataDir, 'postgres');
    await waitFor('initdb to begin', async () => {
      const names = existsSync(base) ? await readdir(base) : [];
      const unfinished = names.find((name) => name.startsWith('init-'));
      return unfinished !== undefined && (await readdir(join(base, unfinished))).length > 3;
    });
    parent.kill('SIGKILL');
    const next = await start(t, dataDir);
    assert.deepEqual(await query(next.url, 'select 1 as one'), [{ one: 1 }]);
    assert.deepEqual(
      (await readdir(base)).filter((name) => name.startsWith('init-')),
      [],
    );
  });

  test('whose initdb is killed says so, leaves nothing half made, and is made by the next start', async (t) => {
    const dataDir = await testFolder(t);
    const base = join(dataDir, 'postgres');
    const killed = waitFor('initdb', async () => {
      const initdb = await processOf(join(base, 'init-'));
      if (initdb === undefined) return false;
      process.kill(initdb, 'SIGKILL');
      return true;
    });
    await assert.rejects(start(t, dataDir), /could not be created.*ended by SIGKILL.*start again/s);
    await killed;
    const unfinished = async () => (await readdir(base)).filter((name) => name.startsWith('init-'));
    assert.deepEqual(await unfinished(), []);
    assert.equal(await processOf(join(base, 'init-')), undefined, 'nothing works on');

    // Something that cannot be removed is no obstacle, and is told.
    const left = join(base, 'init-1-left');
    await mkdir(left);
    const writing = `const { writeFileSync } = require('node:fs'); console.log('writes');
      for (let n = 0; ; n++) try { writeFileSync(process.argv[1] + '/' + (n % 5000), ''); } catch { process.exit(); }`;
    const writer = spawn(process.execPath, ['-e', writing, left], { stdio: ['ignore', 'pipe', 'ignore'] });
    cleanUp(t, async () => void writer.kill('SIGKILL'));
    await once(writer.stdout, 'data');
    const told: unknown[] = [];
    const next = await start(t, dataDir, { log: (message, fields) => told.push([message, fields?.folder]) });
    assert.deepEqual(await query(next.url, 'select 1 as one'), [{ one: 1 }]);
    if (existsSync(left)) assert.match(JSON.stringify(told), /half-made database could not be removed.*init-1-left/);
  });

  test('works below a folder that only its owner may enter', async (t) => {
    const folder = await testFolder(t);
    await chmod(folder, 0o700);
    const database = await start(t, join(folder, 'data'));
    assert.deepEqual(await query(database.url, 'select 1 as one'), [{ one: 1 }]);
    // Then in the open again: the files change hands where that is needed.
    await query(database.url, 'create table note as select 7 as number');
    await database.stop();
    await chmod(folder, 0o755);
    const again = await start(t, join(folder, 'data'));
    assert.deepEqual(await query(again.url, 'select number from note'), [{ number: 7 }]);
  });

  test('works below a long path with odd characters, and takes its socket folder away again', async (t) => {
    const dataDir = join(await testFolder(t), `a, b 'c' "d" ü ${'x'.repeat(120)}`);
    const database = await start(t, dataDir);
    const other = await startInProcess(dataDir);
    assert.deepEqual({ pid: other.pid, url: other.url }, { pid: database.pid, url: database.url });
    await other.stop();
    const socketDir = socketDirOf(database.url);
    assert.ok(Buffer.byteLength(join(socketDir, '.s.PGSQL.5432')) <= 107);
    assert.equal((await stat(socketDir)).mode & 0o777, 0o700);
    await database.stop();
    assert.equal(existsSync(socketDir), false);
  });

  test('can be stopped after its folder was deleted', async (t) => {
    const dataDir = join(await testFolder(t), 'data');
    const database = await start(t, dataDir);
    await rm(dataDir, { recursive: true, maxRetries: 5 });
    await database.stop();
    assert.equal(isRunning(database.pid), false);
  });
});

/** Starts it in this process and makes sure it is gone after the test. */
async function start(t: TestContext, dataDir: string, options: Partial<EmbeddedPostgresOptions> = {}) {
  const database: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir, log, ...options });
  cleanUp(t, () => database.stop());
  return database;
}

/** The initdb, or a server that it has started, that works in a folder. */
async function processOf(folder: string): Promise<number | undefined> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [program = '', ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (/(initdb|postgres)$/.test(program) && args.some((arg) => arg.startsWith(folder))) return Number(pid);
  }
  return undefined;
}

function lockFileOf(dataDir: string): string {
  return join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
}

function socketDirOf(url: string): string {
  return new URL(url).searchParams.get('host') ?? '';
}
