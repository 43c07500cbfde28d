import { adoptServer } from './embedded-postgres/adopt-server.ts';
import { initdbTimeoutMs } from './embedded-postgres/cluster.ts';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  embeddedFault,
} from './embedded-postgres/embedded-server.ts';
import { connectionUrl, type Folders, foldersOf, makeFolders } from './embedded-postgres/folders.ts';
import { type KernelLock, waitForKernelLock } from './embedded-postgres/kernel-lock.ts';
import { startOwnServer } from './embedded-postgres/own-server.ts';
import { findPostmaster } from './embedded-postgres/postmaster.ts';
import { answers } from './embedded-postgres/readiness.ts';

/** Longer than an initdb may take, plus a crash recovery. */
const startLockTimeoutMs = initdbTimeoutMs + 60_000;

/**
 * Starts the embedded PostgreSQL of a data directory, or adopts the one that runs there.
 *
 * The process that starts it owns it and holds `owner.lock` while it lives. The kernel releases that lock when the process is
 * killed. Only the owner's stop() stops the server. A start that finds a server without an owner stops it and starts a new one.
 *
 * Throws EmbeddedPostgresError with a sentence for the operator.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { folders, startLock } = await lockFolders(options.dataDir);
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
  const running = await findPostmaster(folders).catch((cause) => {
    throw embeddedFault(
      `${folders.base} belongs to another account; run this command as that account or as root`,
      cause,
    );
  });
  if (!running?.socketDir || !(await answers(running.socketDir))) return undefined;
  return { url: connectionUrl(running.socketDir), pid: running.pid };
}

/** The lock is undefined when another process keeps it for too long. */
async function lockFolders(dataDir: string): Promise<{ folders: Folders; startLock: KernelLock | undefined }> {
  try {
    const folders = await makeFolders(dataDir);
    return { folders, startLock: await waitForKernelLock(folders.startLock, startLockTimeoutMs) };
  } catch (cause) {
    throw embeddedFault(
      `The data directory ${dataDir} cannot be used by this account (uid ${process.getuid?.()}); run Toledo as the account that owns it, or choose another TOLEDO_DATA_DIR`,
      cause,
    );
  }
}
