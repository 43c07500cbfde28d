import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findBinaries } from './binaries.ts';
import { prepareCluster } from './cluster.ts';
import type { EmbeddedPostgres, EmbeddedPostgresOptions, Tell } from './embedded-server.ts';
import { embeddedFault } from './fault.ts';
import { connectionUrl, type Folders, makeSocketDir } from './folders.ts';
import { type KernelLock, waitForKernelLock } from './kernel-lock.ts';
import { chooseLaunch } from './privileges.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { stopServer } from './stop-server.ts';

/** An owner whose server has died notices at once, unless its event loop is blocked. */
const ownerLockTimeoutMs = 10_000;

/** Makes the cluster if there is none and starts a server of our own. The caller holds the start lock. */
export async function startOwnServer(folders: Folders, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  // No server is visible, so an owner that still holds the lock is about to notice that its server died. Or it runs in another
  // container that shares this folder, whose processes we cannot see: then we must not start.
  const ownerLock = await waitForKernelLock(folders.ownerLock, ownerLockTimeoutMs);
  if (!ownerLock) {
    throw embeddedFault(
      `Another process still supervises the embedded database in ${folders.base}, perhaps in another container that shares the folder`,
    );
  }
  try {
    return await startAndOwn(folders, options, ownerLock);
  } catch (error) {
    ownerLock.release();
    throw error;
  }
}

async function startAndOwn(
  folders: Folders,
  options: EmbeddedPostgresOptions,
  ownerLock: KernelLock,
): Promise<EmbeddedPostgres> {
  const begunAt = Date.now();
  const binaries = await findBinaries(folders.links);
  const launch = await chooseLaunch(binaries, folders);
  await prepareCluster(binaries, folders, launch, options.log);
  const socketDir = await makeSocketDir(folders, launch.uid);
  const maxConnections = options.maxConnections ?? 100;
  const server = await startServer(binaries, folders, launch, { socketDir, maxConnections });
  const exited = server.exited.then((exit) => {
    ownerLock.release();
    return exit;
  });
  // The database alone does not keep a process alive that has nothing else to do.
  server.child.unref();
  options.log('embedded database ready', {
    pid: server.pid,
    launch: launch.kind,
    diesWithParent: launch.diesWithParent,
    durationMs: Date.now() - begunAt,
  });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= stopOwnServer({ ...server, exited }, folders, socketDir, options.log));
  return { url: connectionUrl(socketDir), pid: server.pid, adopted: false, exited, stop };
}

async function stopOwnServer(server: ServerProcess, folders: Folders, socketDir: string, log: Tell): Promise<void> {
  server.child.ref();
  // Keeps a start from adopting what we are about to stop. Stopping must work even if the folder was deleted.
  const startLock = await waitForKernelLock(folders.startLock, 10_000).catch(() => undefined);
  try {
    await stopServer(server.pid, folders, log);
    await server.exited;
    // A folder beside the cluster stays; one below the temporary folder must be removed.
    if (socketDir !== join(folders.base, 'socket')) await rm(socketDir, { recursive: true, force: true });
  } finally {
    startLock?.release();
  }
}
