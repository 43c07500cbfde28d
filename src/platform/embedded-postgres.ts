import { adoptServer } from './embedded-postgres/adopt-server.ts';
import { initdbTimeoutMs } from './embedded-postgres/cluster.ts';
import type { EmbeddedPostgres, EmbeddedPostgresOptions } from './embedded-postgres/embedded-server.ts';
import { embeddedFault } from './embedded-postgres/fault.ts';
import { connectionUrl, type Folders, foldersOf, makeFolders } from './embedded-postgres/folders.ts';
import { tryKernelLock, waitForKernelLock } from './embedded-postgres/kernel-lock.ts';
import { startOwnServer } from './embedded-postgres/own-server.ts';
import { findPostmaster, type Postmaster } from './embedded-postgres/postmaster.ts';
import { answers } from './embedded-postgres/readiness.ts';

/** Longer than an initdb may take, plus a crash recovery. */
const startLockTimeoutMs = initdbTimeoutMs + 60_000;

/**
 * Starts the embedded PostgreSQL of a data directory, or adopts the one that runs there.
 *
 * Who may stop it: the process that started it is its owner and holds `owner.lock` while it lives; every process
 * that uses it holds `users.lock` shared. Both are kernel locks, so the kernel releases them when a process is killed.
 * - The starter's stop() stops the server.
 * - An adopter's stop() leaves it to a living owner. If the owner is gone, the last user stops it.
 * - A start that finds a server without an owner becomes its owner. But if that server ends with its starter, it is
 *   about to end, so it is stopped and a new one started.
 *
 * Throws EmbeddedPostgresError with a sentence for the operator.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folders = await openFolders(options.dataDir);
  const startLock = await waitForKernelLock(folders.startLock, 'exclusive', startLockTimeoutMs);
  if (!startLock) throw embeddedFault(`Another process has been starting or stopping ${folders.base} for too long`);
  try {
    const running = await findPostmaster(folders);
    const adopted = running && (await adoptServer(running, folders, options.log));
    return adopted ?? (await startOwnServer(folders, options));
  } finally {
    startLock.release();
  }
}

/** The running embedded server of a data directory, for a tool that works beside it; starts and locks nothing. */
export async function findRunningEmbeddedPostgres(dataDir: string): Promise<{ url: string; pid: number } | undefined> {
  const folders = foldersOf(dataDir);
  let running: Postmaster | undefined;
  try {
    running = await findPostmaster(folders);
  } catch (cause) {
    throw embeddedFault(
      `${folders.base} belongs to another account; run this command as that account or as root`,
      cause,
    );
  }
  if (!running?.socketDir || !(await answers(running.socketDir))) return undefined;
  return { url: connectionUrl(running.socketDir), pid: running.pid };
}

async function openFolders(dataDir: string): Promise<Folders> {
  try {
    const folders = await makeFolders(dataDir);
    // Proves that we may write here before anything else is tried.
    tryKernelLock(folders.usersLock, 'shared')?.release();
    return folders;
  } catch (cause) {
    throw embeddedFault(
      `The data directory ${dataDir} cannot be used by this account (uid ${process.getuid?.()}); run Toledo as the account that owns it, or choose another TOLEDO_DATA_DIR`,
      cause,
    );
  }
}
