import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findBinaries } from './embedded-postgres/binaries.ts';
import { prepareCluster } from './embedded-postgres/cluster.ts';
import { embeddedFault } from './embedded-postgres/fault.ts';
import { connectionUrl, type Folders, foldersOf, makeFolders, makeSocketDir } from './embedded-postgres/folders.ts';
import { type KernelLock, tryKernelLock, waitForKernelLock } from './embedded-postgres/kernel-lock.ts';
import { findPostmaster, isPostmaster, type Postmaster } from './embedded-postgres/postmaster.ts';
import { chooseLaunch } from './embedded-postgres/privileges.ts';
import { answers, waitUntilReady } from './embedded-postgres/readiness.ts';
import { type Exit, startServer } from './embedded-postgres/server-process.ts';
import { stopServer } from './embedded-postgres/stop-server.ts';

export interface EmbeddedPostgres {
  url: string;
  pid: number;
  /** True when the server was running already. */
  adopted: boolean;
  /** Stops the server, or only leaves it if it is another's (see the rule below). May be called twice. */
  stop(): Promise<void>;
  /** Resolves when the server has gone; of an adopted one, which is no child of ours, code and signal are unknown. */
  exited: Promise<Exit>;
}

export interface EmbeddedPostgresOptions {
  /** For example `./data`; the database lives in `<dataDir>/postgres`. */
  dataDir: string;
  /** Default 100. */
  maxConnections?: number;
  log: (message: string, fields?: Record<string, unknown>) => void;
  /** Default true: the server shuts itself down when this process dies, even by kill -9 (Linux with setpriv). */
  dieWithParent?: boolean;
}

/** Longer than an initdb on a busy machine (measured: 2 s) plus a crash recovery. */
const startLockTimeoutMs = 150_000;
const ownerLockTimeoutMs = 10_000;
const watchIntervalMs = 1_000;

/**
 * Starts the embedded PostgreSQL of a data directory, or adopts the one that runs there.
 *
 * Who may stop it: the process that started it is its owner and holds `owner.lock` while it lives; every process
 * that uses it holds `users.lock` shared. Both are kernel locks, so a killed process lets go by itself.
 * - The owner's stop() stops the server.
 * - An adopter's stop() leaves it to a living owner. If the owner is gone, the last user stops it.
 * - A start that finds a server without owner and users (its starter was killed) stops it and starts its own,
 *   because it is about to go anyway; unless it was started with `dieWithParent: false`: that one it takes over.
 *
 * Throws EmbeddedPostgresError with a sentence for the operator.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folders = await openFolders(options.dataDir);
  const startLock = await waitForKernelLock(folders.startLock, 'exclusive', startLockTimeoutMs);
  if (!startLock) throw embeddedFault(`Another process has been starting or stopping ${folders.base} for too long`);
  try {
    const running = await findPostmaster(folders);
    const adopted = running && (await adopt(running, folders, options));
    return adopted ?? (await startOwn(folders, options));
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

/** Undefined when the server went away or had to be stopped, so that the caller starts a new one. */
async function adopt(
  running: Postmaster,
  folders: Folders,
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres | undefined> {
  const { pid } = running;
  const ownerLock = tryKernelLock(folders.ownerLock, 'exclusive');
  const unused = ownerLock && tryKernelLock(folders.usersLock, 'exclusive');
  unused?.release();
  if (unused && !running.kept) {
    options.log('stopping an embedded database whose starter is gone', { pid });
    await stopServer(pid, folders, options.log);
    ownerLock.release();
    return undefined;
  }
  const watch = watchPostmaster(pid, folders);
  const socketDir = await waitForSocketDir(running, folders);
  const ready = socketDir ? await waitUntilReady(socketDir, watch.exited) : 'gone';
  if (ready === 'ready' && socketDir) {
    options.log('using the embedded database that is already running', { pid });
    const usersLock = tryKernelLock(folders.usersLock, 'shared');
    void watch.exited.then(() => ownerLock?.release());
    return {
      url: connectionUrl(socketDir),
      pid,
      adopted: true,
      exited: watch.exited,
      stop: once(() => leave(pid, folders, options, ownerLock, usersLock, watch)),
    };
  }
  watch.gone();
  // It has shut down, or it hangs: if it has an owner, ending it is the owner's business.
  if (!ownerLock && (await isPostmaster(pid, folders))) {
    throw embeddedFault(`The embedded database in ${folders.base} runs (pid ${pid}) but does not answer`);
  }
  await stopServer(pid, folders, options.log);
  ownerLock?.release();
  return undefined;
}

async function startOwn(folders: Folders, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  // No server is visible, so an owner that still holds the lock is about to notice that its server died, or it
  // lives in another container that shares this folder and whose processes we cannot see: then keep out.
  const ownerLock = await waitForKernelLock(folders.ownerLock, 'exclusive', ownerLockTimeoutMs);
  if (!ownerLock) {
    throw embeddedFault(
      `Another process still supervises the embedded database in ${folders.base}, perhaps in another container that shares the folder`,
    );
  }
  const begunAt = Date.now();
  try {
    const binaries = await findBinaries(folders.links);
    const launch = await chooseLaunch(binaries, folders);
    await prepareCluster(binaries, folders, launch);
    const socketDir = await makeSocketDir(folders, launch.uid);
    const dieWithParent = options.dieWithParent ?? true;
    const server = await startServer(binaries, folders, launch, {
      socketDir,
      maxConnections: options.maxConnections ?? 100,
      dieWithParent,
    });
    const { pid, child } = server;
    const usersLock = tryKernelLock(folders.usersLock, 'shared');
    const exited = server.exited.then((exit) => {
      usersLock?.release();
      ownerLock.release();
      return exit;
    });
    // The database alone does not keep a process alive that has nothing else to do.
    child.unref();
    options.log('embedded database ready', {
      pid,
      launch: launch.kind,
      diesWithParent: dieWithParent && launch.diesWithParent,
      durationMs: Date.now() - begunAt,
    });
    const stop = once(async () => {
      child.ref();
      const startLock = await lockForStop(folders);
      try {
        await stopServer(pid, folders, options.log);
        await exited;
        // Only the one below the temporary folder is a stranger there.
        if (socketDir !== join(folders.base, 'socket')) await rm(socketDir, { recursive: true, force: true });
      } finally {
        startLock?.release();
      }
    });
    return { url: connectionUrl(socketDir), pid, adopted: false, exited, stop };
  } catch (error) {
    ownerLock.release();
    throw error;
  }
}

/** An adopter's stop(): see the rule at startEmbeddedPostgres. */
async function leave(
  pid: number,
  folders: Folders,
  options: EmbeddedPostgresOptions,
  ownedLock: KernelLock | undefined,
  usersLock: KernelLock | undefined,
  watch: Watch,
): Promise<void> {
  const startLock = await lockForStop(folders);
  usersLock?.release();
  const ownerLock = ownedLock ?? tryKernelLock(folders.ownerLock, 'exclusive');
  const lastUser = ownerLock && tryKernelLock(folders.usersLock, 'exclusive');
  try {
    if (lastUser) {
      await stopServer(pid, folders, options.log);
      watch.gone();
    }
  } finally {
    lastUser?.release();
    ownerLock?.release();
    startLock?.release();
  }
}

/** Keeps a start from adopting what we are about to stop. Stopping must work even if the folder was deleted. */
async function lockForStop(folders: Folders): Promise<KernelLock | undefined> {
  try {
    return await waitForKernelLock(folders.startLock, 'exclusive', ownerLockTimeoutMs);
  } catch {
    return undefined;
  }
}

interface Watch {
  exited: Promise<Exit>;
  /** Tells it what it would find out at its next look. */
  gone(): void;
}

/** No child of ours, so its end is seen by looking. The timer does not keep the process alive. */
function watchPostmaster(pid: number, folders: Folders): Watch {
  const { promise, resolve } = Promise.withResolvers<Exit>();
  const gone = () => {
    clearInterval(timer);
    resolve({ code: null, signal: null });
  };
  const timer = setInterval(async () => {
    if (!(await isPostmaster(pid, folders))) gone();
  }, watchIntervalMs);
  timer.unref();
  return { exited: promise, gone };
}

/** A server writes its socket folder into postmaster.pid a moment after its pid. */
async function waitForSocketDir(running: Postmaster, folders: Folders): Promise<string | undefined> {
  let seen: Postmaster | undefined = running;
  for (let attempt = 0; attempt < 200 && seen?.pid === running.pid; attempt++) {
    if (seen.socketDir) return seen.socketDir;
    await delay(50);
    seen = await findPostmaster(folders);
  }
  return undefined;
}

function once(action: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => {
    result ??= action();
    return result;
  };
}
