import { setTimeout as delay } from 'node:timers/promises';
import type { EmbeddedPostgres, EmbeddedPostgresOptions } from './embedded-server.ts';
import { embeddedFault } from './fault.ts';
import { connectionUrl, type Folders } from './folders.ts';
import { type KernelLock, tryKernelLock } from './kernel-lock.ts';
import { findPostmaster, isPostmaster, type Postmaster } from './postmaster.ts';
import { waitUntilReady } from './readiness.ts';
import type { Exit } from './server-process.ts';
import { lockForStop, once, stopServer } from './stop-server.ts';

/** How soon we notice the end of a server that is not our child. */
const watchIntervalMs = 1_000;

/**
 * Uses a server that runs already. Undefined when it went away or had to be stopped, so that the caller starts a
 * new one. The caller holds the start lock.
 */
export async function adoptServer(
  running: Postmaster,
  folders: Folders,
  log: EmbeddedPostgresOptions['log'],
): Promise<EmbeddedPostgres | undefined> {
  // Succeeds only if the owner is gone.
  const ownerLock = tryKernelLock(folders.ownerLock, 'exclusive');
  try {
    const adopted = ownerLock && running.bound ? undefined : await waitForAdoption(running, folders, log, ownerLock);
    if (adopted) return adopted;
    if (!ownerLock && (await isPostmaster(running.pid, folders))) {
      // Only the owner ends it.
      throw embeddedFault(`The embedded database in ${folders.base} runs (pid ${running.pid}) but does not answer`);
    }
    log('stopping the embedded database that another process left', { pid: running.pid });
    await stopServer(running.pid, folders, log);
  } catch (error) {
    ownerLock?.release();
    throw error;
  }
  ownerLock?.release();
  return undefined;
}

async function waitForAdoption(
  running: Postmaster,
  folders: Folders,
  log: EmbeddedPostgresOptions['log'],
  ownerLock: KernelLock | undefined,
): Promise<EmbeddedPostgres | undefined> {
  const { pid } = running;
  const watch = watchPostmaster(pid, folders);
  const socketDir = await waitForSocketDir(running, folders);
  if (!socketDir || (await waitUntilReady(socketDir, watch.exited)) !== 'ready') {
    watch.gone();
    return undefined;
  }
  log('using the embedded database that is already running', { pid });
  const usersLock = tryKernelLock(folders.usersLock, 'shared');
  const exited = watch.exited.then((exit) => {
    usersLock?.release();
    ownerLock?.release();
    return exit;
  });
  const stop = once(() => leaveServer(pid, folders, log, ownerLock, usersLock, watch));
  return { url: connectionUrl(socketDir), pid, adopted: true, exited, stop };
}

/** An adopter's stop(): see the rule at startEmbeddedPostgres. */
async function leaveServer(
  pid: number,
  folders: Folders,
  log: EmbeddedPostgresOptions['log'],
  takenOverLock: KernelLock | undefined,
  usersLock: KernelLock | undefined,
  watch: Watch,
): Promise<void> {
  const held = [await lockForStop(folders), takenOverLock];
  try {
    usersLock?.release();
    const ownerLock = takenOverLock ?? tryKernelLock(folders.ownerLock, 'exclusive');
    held.push(ownerLock);
    const lastUser = ownerLock && tryKernelLock(folders.usersLock, 'exclusive');
    held.push(lastUser);
    if (!lastUser) return;
    await stopServer(pid, folders, log);
    watch.gone();
  } finally {
    for (const lock of held.reverse()) lock?.release();
  }
}

interface Watch {
  exited: Promise<Exit>;
  /** Reports the end before the next check would find it. */
  gone(): void;
}

/** Not our child, so its end is found by polling. The timer does not keep the process alive. */
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
