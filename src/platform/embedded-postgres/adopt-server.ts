import { setTimeout as delay } from 'node:timers/promises';
import { type EmbeddedPostgres, type Exit, embeddedFault, type Tell } from './embedded-server.ts';
import { connectionUrl, type Folders } from './folders.ts';
import { tryKernelLock } from './kernel-lock.ts';
import { findPostmaster, isPostmaster, type Postmaster, stopServer } from './postmaster.ts';
import { waitUntilReady } from './readiness.ts';

/** How soon we notice the end of a server that is not our child. */
const watchIntervalMs = 1_000;

/**
 * Uses a server that another living process owns. Undefined when it went away, or had no owner and was stopped: the caller
 * then starts one of its own. The caller holds the start lock.
 */
export async function adoptServer(
  running: Postmaster,
  folders: Folders,
  log: Tell,
): Promise<EmbeddedPostgres | undefined> {
  const { pid } = running;
  const ownerLock = tryKernelLock(folders.ownerLock);
  if (ownerLock) {
    // Nobody holds it, so the owner is gone: its server ends any moment, or nobody would ever stop it.
    log('stopping the embedded database that another process left', { pid });
    await stopServer(pid, folders, log).finally(() => ownerLock.release());
    return undefined;
  }
  const watch = watchPostmaster(pid, folders);
  const socketDir = await waitForSocketDir(running, folders);
  if (socketDir && (await waitUntilReady(socketDir, watch.exited)) === 'ready') {
    log('using the embedded database that is already running', { pid });
    return { url: connectionUrl(socketDir), pid, adopted: true, exited: watch.exited, stop: async () => watch.end() };
  }
  watch.end();
  if (await isPostmaster(pid, folders))
    throw embeddedFault(`The embedded database in ${folders.base} runs (pid ${pid}) but does not answer`);
  return undefined;
}

/** Not our child, so its end is found by polling. The timer does not keep the process alive. */
function watchPostmaster(pid: number, folders: Folders): { exited: Promise<Exit>; end(): void } {
  const { promise: exited, resolve } = Promise.withResolvers<Exit>();
  const timer = setInterval(async () => {
    if (await isPostmaster(pid, folders)) return;
    clearInterval(timer);
    resolve({ code: null, signal: null });
  }, watchIntervalMs);
  timer.unref();
  return { exited, end: () => clearInterval(timer) };
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
