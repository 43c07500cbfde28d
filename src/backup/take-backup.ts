/**
 * A complete copy of an installation, taken while the service runs. First the rows, in one snapshot; then the files that
 * those rows name. A file is written before the row that names it, so every row of the snapshot has its file, and nothing
 * written later is needed. A task may be deleted in the meantime, files first; the backup then records the deletion.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { appliedMigrations, knownMigrations } from '../platform/migrate.ts';
import { type Db, type Pool, withConnection } from '../platform/postgres.ts';
import { deriveSecrets } from '../platform/secrets.ts';
import { softwareVersion } from '../platform/software-version.ts';
import { type Storage, StorageMissing } from '../platform/storage/storage.ts';
import { type OwnedFile, ownedFilesSql } from '../tasks/object-store.ts';
import { BackupFolder } from './backup-folder.ts';
import { eachOf } from './each-of.ts';
import {
  BackupFault,
  filePath,
  type LostFile,
  type Manifest,
  manifestName,
  secretName,
  tablePath,
} from './manifest.ts';
import { auditFaultsOf, copyOut, listTables, preparePlainCopies } from './tables.ts';

export interface BackupSource {
  pool: Pool;
  storage: Storage;
  /** From the setting, which is not copied, or from the data directory, which is. */
  secret: { value: string; configured: boolean };
}

/** Files copied at once: enough to keep a disk busy, few enough to leave the service its share. */
const copiesAtOnce = 4;
/** A deletion removes the files and, right after that, the rows; a database under load may take longer. */
const deletionGraceMs = 15_000;

/** @throws BackupFault; nothing is left under the name then */
export async function takeBackup(source: BackupSource, path: string, signal: AbortSignal): Promise<Manifest> {
  const folder = await BackupFolder.create(path);
  try {
    const { files, ...snapshot } = await withConnection(source.pool, ({ db, client }) =>
      copyRows(source, db, client, folder, signal),
    );
    const copied = await copyFiles(source, files, folder, signal);
    if (!source.secret.configured) await folder.writeText(secretName, source.secret.value, signal);
    const { count, sizeBytes } = folder.totals('files');
    const manifest: Manifest = {
      format: 1,
      toledo_version: softwareVersion(),
      ...snapshot,
      files: { count, size_bytes: sizeBytes },
      secret: {
        fingerprint: deriveSecrets(source.secret.value).fingerprint,
        included: !source.secret.configured,
      },
      deleted_tasks: copied.deletedTasks,
      lost_files: copied.lostFiles,
    };
    await folder.writeText(manifestName, `${JSON.stringify(manifest, null, 2)}\n`, signal);
    await folder.publish(signal);
    return manifest;
  } catch (error) {
    throw isSystemFault(error)
      ? new BackupFault(`The backup could not be written, and nothing is left of it: ${error.message}.`, {
          cause: error,
        })
      : error;
  } finally {
    await folder.discard();
  }
}

/** Such as a full disk. */
function isSystemFault(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

type Snapshot = Pick<Manifest, 'postgres_version' | 'taken_at' | 'schema' | 'tables' | 'tasks' | 'audit_faults'>;

async function copyRows(
  source: BackupSource,
  db: Db,
  client: pg.PoolClient,
  folder: BackupFolder,
  signal: AbortSignal,
): Promise<Snapshot & { files: OwnedFile[] }> {
  const schema = await appliedMigrations(db);
  if (schema.length === 0) throw new BackupFault('The database is empty; there is nothing to back up.');
  await client.query('begin isolation level repeatable read read only');
  await preparePlainCopies(client);
  await requireFingerprint(client, source);
  const tables: Manifest['tables'] = [];
  for (const table of await listTables(client)) {
    const rows = copyOut(client, table, table.columns);
    await folder.write(tablePath(table.name), rows, signal);
    tables.push({ name: table.name, columns: table.columns, rows: rows.rowCount });
  }
  const { rows: files } = await client.query<OwnedFile>(ownedFilesSql);
  const { rows: facts } = await client.query(`
    select now() as taken_at, current_setting('server_version') as postgres_version, count(*)::int as total,
      (count(*) filter (where status = 'pending'))::int as unfinished from tasks`);
  // An account that did not balance before a backup will not balance after it: we report this, but it must not stop a restore.
  const isCurrent = schema.at(-1) === (await knownMigrations()).at(-1);
  const auditFaults = isCurrent ? await auditFaultsOf(client) : null;
  await client.query('commit');
  const { taken_at, postgres_version, total, unfinished } = facts[0];
  return {
    postgres_version,
    taken_at: taken_at.toISOString(),
    schema,
    tables,
    tasks: { total, unfinished },
    audit_faults: auditFaults,
    files,
  };
}

/** A backup whose secret does not match its rows would restore to a service that recognises no key. */
async function requireFingerprint(client: pg.PoolClient, { secret }: BackupSource): Promise<void> {
  const { rows } = await client.query("select value from installation where name = 'secret_fingerprint'");
  const { fingerprint } = deriveSecrets(secret.value);
  if (rows.length > 0 && rows[0].value !== fingerprint)
    throw new BackupFault(
      'The secret here is not the one that this database was set up with; use the settings of the service.',
    );
}

async function copyFiles(
  { storage, pool }: BackupSource,
  files: OwnedFile[],
  folder: BackupFolder,
  signal: AbortSignal,
): Promise<{ deletedTasks: string[]; lostFiles: LostFile[] }> {
  const missing: OwnedFile[] = [];
  const damaged: OwnedFile[] = [];
  await eachOf(files, copiesAtOnce, async (file) => {
    try {
      const { body } = await storage.get(file.key, { signal });
      const { sha256 } = await folder.write(filePath(file.key), body, signal);
      if (sha256 !== file.sha256) damaged.push(file);
    } catch (error) {
      if (!(error instanceof StorageMissing)) throw error;
      missing.push(file);
    }
  });
  const deleted = await findDeleted(pool, new Set(missing.map((file) => file.taskId)), signal);
  // Files copied before the deletion are removed too: their owner deleted them.
  for (const file of files) if (deleted.has(file.taskId)) await folder.remove(filePath(file.key));
  const lost = (reason: LostFile['reason']) => (file: OwnedFile) => ({ key: file.key, task_id: file.taskId, reason });
  const kept = (file: OwnedFile) => !deleted.has(file.taskId);
  return {
    deletedTasks: [...deleted].sort(),
    lostFiles: [...missing.filter(kept).map(lost('missing')), ...damaged.filter(kept).map(lost('damaged'))],
  };
}

/** The tasks among these that have been deleted; waits for a running deletion. */
async function findDeleted(pool: Pool, taskIds: ReadonlySet<string>, signal: AbortSignal): Promise<Set<string>> {
  for (const deadline = Date.now() + deletionGraceMs; ; await sleep(200, undefined, { signal })) {
    const { rows } = await pool.query('select id from tasks where id = any($1) and purged_at is not null', [
      [...taskIds],
    ]);
    if (rows.length === taskIds.size || Date.now() >= deadline) return new Set(rows.map((row) => row.id));
  }
}
