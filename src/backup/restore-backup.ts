/**
 * Creates a data directory from a backup: embedded database, files and secret. It is built in a separate folder inside the data
 * directory, marked as finished and then moved into place. The directory itself may be a mount point, which cannot be replaced.
 * No start mistakes a half-restored directory for a new one: see `refuseUnfinishedRestore`.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { restoringFolder } from '../platform/database-server.ts';
import { tryKernelLock } from '../platform/embedded-postgres/kernel-lock.ts';
import { findRunningEmbeddedPostgres, startEmbeddedPostgres } from '../platform/embedded-postgres.ts';
import type { Log } from '../platform/log.ts';
import { openDatabase } from '../platform/postgres.ts';
import { secretFileName, writeSecretFile } from '../platform/secrets.ts';
import { FileStorage } from '../platform/storage/file-storage.ts';
import { syncFolder } from '../platform/sync-folder.ts';
import type { CheckedBackup } from './check-backup.ts';
import { type LoadedBackup, loadBackup } from './load-backup.ts';
import { BackupFault } from './manifest.ts';

export interface RestoreOptions {
  dataDir: string;
  log: Log;
  signal: AbortSignal;
}

/** Written when everything is in the folder, so that an interrupted move is completed and not repeated from the start. */
const finishedMark = 'finished';
const lockName = 'lock';
const pieces = ['files', secretFileName, 'postgres'];
/** Present in every new file system. */
const notOurs = new Set(['lost+found', restoringFolder]);

/** Undefined when only the last moves of an earlier restore were left to do. @throws BackupFault, EmbeddedPostgresError */
export async function restoreBackup(backup: CheckedBackup, options: RestoreOptions): Promise<LoadedBackup | undefined> {
  const dataDir = resolve(options.dataDir);
  const folder = join(dataDir, restoringFolder);
  await mkdir(dataDir, { recursive: true });
  const begun = existsSync(folder);
  if (!begun) await requireEmpty(dataDir);
  await mkdir(folder, { recursive: true });
  // As the data directory's own: the account that runs the server must pass through.
  await chmod(folder, 0o711);
  const lock = tryKernelLock(join(folder, lockName));
  if (!lock) throw new BackupFault(`Another restore into ${dataDir} is under way.`);
  try {
    if (existsSync(join(folder, finishedMark))) {
      await moveIntoPlace(folder, dataDir);
      return undefined;
    }
    await requireEmpty(dataDir);
    await clear(folder);
    const loaded = await fill(folder, backup, options);
    await writeFile(join(folder, finishedMark), '', { flush: true });
    await syncFolder(folder);
    await moveIntoPlace(folder, dataDir);
    return loaded;
  } catch (error) {
    if (!existsSync(join(folder, finishedMark))) await rm(folder, { recursive: true, force: true });
    throw error;
  } finally {
    lock.release();
  }
}

async function fill(folder: string, backup: CheckedBackup, options: RestoreOptions): Promise<LoadedBackup> {
  const { log, signal } = options;
  if (backup.secret !== undefined) await writeSecretFile(folder, backup.secret);
  await using opened = new AsyncDisposableStack();
  const tell = (message: string, postgres?: object) => log.debug({ postgres }, message);
  const server = await startEmbeddedPostgres({ dataDir: folder, log: tell });
  opened.defer(() => server.stop());
  const { url } = server;
  const { pool, close } = openDatabase({
    url,
    poolSize: 2,
    log,
    applicationName: 'toledo restore',
    statementTimeoutMs: 0,
  });
  opened.defer(close);
  const storage = await FileStorage.open(join(folder, 'files'));
  return await loadBackup({ pool, databaseUrl: url, storage, log }, backup, signal);
}

/** The database last: with it the directory is an installation. May be repeated after a crash. */
async function moveIntoPlace(folder: string, dataDir: string): Promise<void> {
  for (const name of pieces) {
    if (existsSync(join(folder, name))) await rename(join(folder, name), join(dataDir, name));
  }
  await syncFolder(dataDir);
  await rm(folder, { recursive: true, force: true });
  await syncFolder(dataDir);
}

async function requireEmpty(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => !notOurs.has(name));
  if (names.length > 0)
    throw new BackupFault(
      `${dataDir} is not empty (it has ${names.slice(0, 3).join(', ')}); nothing was changed. Set TOLEDO_DATA_DIR to an empty folder, or move the old one away first.`,
    );
}

/** Removes the remains of an interrupted restore: its server ends by itself. The lock file stays: we hold it. */
async function clear(folder: string): Promise<void> {
  for (const deadline = Date.now() + 30_000; await findRunningEmbeddedPostgres(folder); await sleep(200)) {
    if (Date.now() > deadline) throw new BackupFault(`The database of an interrupted restore still runs in ${folder}.`);
  }
  for (const name of await readdir(folder)) {
    if (name !== lockName) await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
  }
}
