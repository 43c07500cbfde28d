/**
 * Loads a checked backup into an empty database and a storage. The rows are one transaction, committed when the files
 * are in place and everything has been compared. Until then the database stays empty, and the files are taken away
 * again if the load fails.
 */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import type { Log } from '../platform/log.ts';
import { appliedMigrations, knownMigrations, migrateIn, requireServerVersion } from '../platform/migrate.ts';
import { type Pool, type Trx, withConnection } from '../platform/postgres.ts';
import { openQueue } from '../platform/queue.ts';
import { type Storage, verifyStored } from '../platform/storage/storage.ts';
import { type OwnedFile, ownedFilesSql } from '../tasks/object-store.ts';
import { deleteRows, requeuePending } from '../tasks/revive-tasks.ts';
import type { CheckedBackup } from './check-backup.ts';
import { eachOf } from './each-of.ts';
import { BackupFault, filePath, tablePath } from './manifest.ts';
import {
  auditFaultsOf,
  continueIdentities,
  copyIn,
  listTables,
  preparePlainCopies,
  quoted,
  readBack,
  type Table,
} from './tables.ts';

export interface BackupTarget {
  pool: Pool;
  databaseUrl: string;
  storage: Storage;
  log: Log;
}

export type LoadedBackup = Awaited<ReturnType<typeof loadBackup>>;

const putsAtOnce = 8;

/** @throws BackupFault, UNAVAILABLE */
export async function loadBackup(target: BackupTarget, backup: CheckedBackup, signal: AbortSignal) {
  const stored: string[] = [];
  try {
    return await withConnection(target.pool, async ({ db, client }) => {
      await requireServerVersion(db);
      return await db.transaction().execute(async (trx) => {
        await preparePlainCopies(client);
        await prepareSchema(trx, backup);
        const rows = await loadRows(client, backup, signal);
        const files = await loadFiles(client, target.storage, backup, stored, signal);
        await migrateIn(trx);
        const requeued = await reviveTasks(trx, target, backup);
        const auditFaults = await audit(client, backup);
        signal.throwIfAborted();
        return { rows, files, requeued, auditFaults };
      });
    });
  } catch (error) {
    for (const key of stored) await target.storage.delete(key).catch(() => {});
    throw error;
  }
}

/** The schema that the rows had, from the same migrations; the later ones follow when the rows are in. */
async function prepareSchema(trx: Trx, { manifest }: CheckedBackup): Promise<void> {
  const known = await knownMigrations();
  const unknown = manifest.schema.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new BackupFault(
      `The backup was made by a newer release (Toledo ${manifest.toledo_version}, migration ${unknown[0]}); update this one first.`,
    );
  const applied = await appliedMigrations(trx);
  if (applied.length === 0) await migrateIn(trx, manifest.schema.at(-1));
  else if (applied.join() !== manifest.schema.join())
    throw new BackupFault(
      'The database has the schema of another release than the backup; give one that is empty altogether.',
    );
}

async function loadRows(client: pg.PoolClient, backup: CheckedBackup, signal: AbortSignal): Promise<number> {
  const tables = await listTables(client);
  await requireEmpty(client, tables, backup);
  const { manifest } = backup;
  let rows = 0;
  for (const table of tables) {
    const entry = manifest.tables.find(({ name }) => name === table.name);
    if (entry?.columns.toSorted().join() !== table.columns.toSorted().join())
      throw new BackupFault(`The backup does not have the columns of the table ${table.name}.`);
    signal.throwIfAborted();
    await copyIn(client, entry, join(backup.path, tablePath(table.name)));
    const loaded = await readBack(client, table, entry.columns);
    if (loaded.rows !== entry.rows || loaded.sha256 !== backup.checksums.get(tablePath(table.name)))
      throw new BackupFault(`The table ${table.name} does not read back as it was written; nothing was changed.`);
    rows += loaded.rows;
  }
  await continueIdentities(client);
  return rows;
}

/** Every command writes the fingerprint of its secret: that alone does not make a database an installation. */
async function requireEmpty(client: pg.PoolClient, tables: Table[], { manifest }: CheckedBackup): Promise<void> {
  // Keeps a running service from creating the first account in the meantime.
  await client.query('lock table accounts, installation in share row exclusive mode');
  for (const { name } of tables) {
    if (name === 'installation') continue;
    const { rows } = await client.query(`select from ${quoted(name)} limit 1`);
    if (rows.length > 0)
      throw new BackupFault(
        `The database is not empty: ${name} has rows. Nothing was changed; give an empty database.`,
      );
  }
  const { rows } = await client.query('select name, value from installation');
  if (rows.some(({ name, value }) => name !== 'secret_fingerprint' || value !== manifest.secret.fingerprint))
    throw new BackupFault(
      'The database was set up with another secret than the one of the backup; give an empty database.',
    );
  await client.query('delete from installation');
}

/** Stores every file that a row names and reads it back. */
async function loadFiles(
  client: pg.PoolClient,
  storage: Storage,
  backup: CheckedBackup,
  stored: string[],
  signal: AbortSignal,
): Promise<number> {
  const { manifest } = backup;
  const deleted = new Set(manifest.deleted_tasks);
  const lost = new Map(manifest.lost_files.map((file) => [file.key, file.reason]));
  const { rows } = await client.query<OwnedFile>(ownedFilesSql);
  const files = rows.filter((file) => !deleted.has(file.taskId) && lost.get(file.key) !== 'missing');
  await requireNoOthers(client, storage);
  await eachOf(files, putsAtOnce, async (file) => {
    const sha256 = backup.checksums.get(filePath(file.key));
    if (sha256 === undefined || (sha256 !== file.sha256 && lost.get(file.key) !== 'damaged'))
      throw new BackupFault(
        `The backup does not have the file ${file.key} that its rows speak of; nothing was changed.`,
      );
    if (!(await storage.head(file.key))) {
      stored.push(file.key);
      const body = createReadStream(join(backup.path, filePath(file.key)));
      await storage.put(file.key, body, file.mediaType ? { mediaType: file.mediaType, signal } : { signal });
    }
    // Also when it was there: a database can move while the bucket stays, and then the files are in use.
    if (!(await verifyStored(storage, { key: file.key, sha256 }, { signal })))
      throw new BackupFault(`The stored file ${file.key} is not the one of the backup; nothing was changed.`);
  });
  return files.length;
}

/** The sweeper would mistake the files of another installation for orphans and remove them an hour later. */
async function requireNoOthers(client: pg.PoolClient, storage: Storage): Promise<void> {
  const { rows } = await client.query<{ id: string }>('select id from tasks');
  const tasks = new Set(rows.map((row) => row.id));
  for await (const key of storage.list()) {
    if (!tasks.has(key.split('/')[1] ?? ''))
      throw new BackupFault(
        `The storage holds files of another installation, such as ${key}; nothing was changed. Give an empty folder, bucket or prefix.`,
      );
  }
}

/** Returns the number of tasks that a worker will continue. */
async function reviveTasks(trx: Trx, target: BackupTarget, { manifest }: CheckedBackup): Promise<number> {
  // Opening it creates the job engine's tables, so all other checks have passed by now.
  const queue = await openQueue({ ...target, works: false });
  try {
    for (const taskId of manifest.deleted_tasks) await deleteRows(trx, queue, taskId);
    return await requeuePending(trx, queue);
  } finally {
    await queue.stop();
  }
}

async function audit(client: pg.PoolClient, { manifest }: CheckedBackup): Promise<number> {
  const faults = await auditFaultsOf(client);
  if (manifest.audit_faults !== null && faults !== manifest.audit_faults)
    throw new BackupFault(
      `The books have ${faults} faults after loading and had ${manifest.audit_faults} before; nothing was changed.`,
    );
  return faults;
}
