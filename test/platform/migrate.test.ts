import { strict as assert } from 'node:assert';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { createLog } from '../../src/platform/log.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { openDatabase } from '../../src/platform/postgres.ts';
import { administer, createTestDatabase, databaseUrl, serverUrlVariable } from '../support/test-database.ts';

const serverUrl = process.env[serverUrlVariable] as string;
const log = createLog('silent');
const cleanups: (() => Promise<void>)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

async function emptyDatabase() {
  const name = `migrate_${Math.random().toString(36).slice(2, 10)}`;
  await administer(serverUrl, `create database ${name}`);
  return databaseUrl(serverUrl, name);
}

async function folderWith(files: Record<string, string>): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-migrations-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return pathToFileURL(`${folder}/`);
}

test('six processes migrating an empty database at once all succeed, each file applied once', async () => {
  const url = await emptyDatabase();
  const connections = Array.from({ length: 6 }, () => openDatabase({ url, poolSize: 2, log, applicationName: 'test' }));
  const folder = new URL('../../migrations/', import.meta.url);
  const applied = await Promise.all(connections.map(({ db }) => migrate(db, folder)));
  assert.equal(applied.filter((names) => names.length > 0).length, 1);
  await Promise.all(connections.map((connection) => connection.close()));
});

test('a failing file rolls everything back and names itself', async () => {
  const { db, close } = openDatabase({ url: await emptyDatabase(), poolSize: 2, log, applicationName: 'test' });
  const folder = await folderWith({
    '0001_good.sql': 'create table kept (id int);',
    '0002_bad.sql': 'create table half (id int); select 1/0;',
  });
  await assert.rejects(migrate(db, folder), /0002_bad failed, nothing was changed: division by zero/);
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n from pg_tables where tablename in ('kept', 'half')`.execute(db);
  assert.equal(rows[0]?.n, 0);
  await close();
});

test('a database from a newer version of Toledo is refused', async () => {
  const database = await createTestDatabase();
  const { db, close } = openDatabase({ url: database.url, poolSize: 2, log, applicationName: 'test' });
  const folder = await folderWith({ '0001_other.sql': 'select 1;' });
  await assert.rejects(migrate(db, folder), /0001_accounts_and_keys|corrupted/);
  await close();
});

test('no lock outlives the migration, so a pooler in between can keep its connections', async () => {
  const { db, close } = openDatabase({ url: await emptyDatabase(), poolSize: 1, log, applicationName: 'test' });
  await migrate(db, new URL('../../migrations/', import.meta.url));
  const { rows } = await sql`
    select objid from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
  assert.deepEqual(rows, []);
  const { rows: settings } = await sql<{ value: string }>`
    select current_setting('statement_timeout') as value`.execute(db);
  assert.equal(settings[0]?.value, '10s');
  await close();
});
