/**
 * Migrations are plain SQL files, forward only, applied in name order through Kysely's migrator: it takes a lock, so
 * several processes may start at once, and runs everything in one transaction, so a failing file leaves nothing behind.
 */
import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Db } from './postgres.ts';

const minimumServerVersion = 150_000;

/** @throws when the server is too old, a file fails, or the database was migrated by a newer version of Toledo */
export async function migrate(db: Db, folder: URL): Promise<string[]> {
  await requireServerVersion(db);
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => readMigrations(folder) },
    migrationTableName: 'schema_migrations',
    migrationLockTableName: 'schema_migrations_lock',
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error) {
    const failed = results?.find((result) => result.status === 'Error')?.migrationName;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Migration ${failed ?? 'set'} failed, nothing was changed: ${reason}`, { cause: error });
  }
  return results?.map((result) => result.migrationName) ?? [];
}

async function readMigrations(folder: URL): Promise<Record<string, Migration>> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort();
  const migrations = names.map(async (name) => {
    const text = await readFile(new URL(name, folder), 'utf8');
    return [name.slice(0, -'.sql'.length), { up: async (db: Db) => void (await sql.raw(text).execute(db)) }] as const;
  });
  return Object.fromEntries(await Promise.all(migrations));
}

async function requireServerVersion(db: Db): Promise<void> {
  const { rows } = await sql<{ version: number }>`select current_setting('server_version_num')::int as version`.execute(
    db,
  );
  if ((rows[0]?.version ?? 0) < minimumServerVersion) {
    throw new Error(`PostgreSQL 15 or later is needed; this server reports ${rows[0]?.version}.`);
  }
}
