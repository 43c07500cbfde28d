/**
 * Migrations are plain SQL files, forward only, applied in name order through Kysely's migrator, all in one transaction,
 * so a failing file leaves nothing behind. The transaction begins with a lock, so several processes may start at once.
 * The lock belongs to the transaction. Kysely's own belongs to the session, and behind a pooler in transaction mode it could
 * stay on a connection for ever.
 */
import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { readCount, readValue, readValues } from './from-row.ts';
import type { Log } from './log.ts';
import { type Db, openDatabase, type Trx } from './postgres.ts';

/** Of this release. */
export const migrationsFolder = new URL('../../migrations/', import.meta.url);
const minimumServerVersion = 150_000;
/** Any number that no other code locks with. */
const lockId = 7_046_029_254;

/** On its own connection without a time limit. @throws what `migrate` throws */
export async function migrateAt({ url, log }: { url: string; log: Log }): Promise<string[]> {
  const { db, close } = openDatabase({
    url,
    poolSize: 1,
    log,
    applicationName: 'toledo migration',
    statementTimeoutMs: 0,
  });
  return await migrate(db).finally(close);
}

/** @throws when the server is too old, a file fails, or the database was migrated by a newer version of Toledo */
export async function migrate(db: Db, folder = migrationsFolder): Promise<string[]> {
  await requireServerVersion(db);
  const [known, applied] = [await knownMigrations(folder), await appliedMigrations(db)];
  // Every command comes by here. The migrator looks at each column of the database before it finds nothing to do.
  if (known.join() === applied.join()) return [];
  return await db.transaction().execute((trx) => migrateIn(trx, undefined, folder));
}

/**
 * The same in a transaction of the caller's.
 * @param upTo the last migration to apply to a database that has none yet; the newest one unless told
 */
export async function migrateIn(trx: Trx, upTo?: string, folder = migrationsFolder): Promise<string[]> {
  // The second process waits for as long as the first one takes.
  await sql`set local statement_timeout = 0`.execute(trx);
  await sql`select pg_advisory_xact_lock(${sql.lit(lockId)})`.execute(trx);
  const migrator = new Migrator({
    db: trx,
    provider: { getMigrations: () => readMigrations(folder) },
    migrationTableName: 'schema_migrations',
    migrationLockTableName: 'schema_migrations_lock',
  });
  const { error, results } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
  if (error) {
    const failed = results?.find((result) => result.status === 'Error')?.migrationName;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Migration ${failed ?? 'set'} failed, nothing was changed: ${reason}`, { cause: error });
  }
  return results?.map((result) => result.migrationName) ?? [];
}

/** Names of the migrations that this release knows, in their order. */
export async function knownMigrations(folder = migrationsFolder): Promise<string[]> {
  return Object.keys(await readMigrations(folder)).sort();
}

/** Names of the migrations that were applied, in their order; none in an empty database. */
export async function appliedMigrations(db: Db): Promise<string[]> {
  if ((await readCount(db)`select count(*) from pg_class where oid = to_regclass('schema_migrations')`) === 0)
    return [];
  return await readValues<string>(db)`select name from schema_migrations order by name`;
}

async function readMigrations(folder: URL): Promise<Record<string, Migration>> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort();
  const migrations = names.map(async (name) => {
    const text = await readFile(new URL(name, folder), 'utf8');
    return [name.slice(0, -'.sql'.length), { up: async (db: Db) => void (await sql.raw(text).execute(db)) }] as const;
  });
  return Object.fromEntries(await Promise.all(migrations));
}

export async function requireServerVersion(db: Db): Promise<void> {
  const version = await readCount(db)`select current_setting('server_version_num')::int`;
  if (version < minimumServerVersion)
    throw new Error(`PostgreSQL 15 or later is needed; this server reports ${version}.`);
}

/** As the server shows it to people. */
export async function serverVersion(db: Db): Promise<string> {
  return (await readValue<string>(db)`select current_setting('server_version')`) ?? 'unknown';
}
