import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

export interface KernelLock {
  release(): void;
}

/** SQLITE_BUSY: another process holds the lock. Any other error is a problem with the file. */
const busyCode = 5;

/** Keeps the handles reachable: a collected handle would close its file and drop the lock silently. */
const held = new Set<DatabaseSync>();

/**
 * Takes a file lock that the kernel drops when this process ends in any way; undefined when another process holds it. A
 * lock file with a pid in it cannot do that. Pids are reused, and two processes that both find a stale file can each
 * remove the other's new one. Node has no flock(), but its built-in SQLite takes fcntl() locks on Linux and macOS; an
 * empty database file is used for nothing else. It also works between threads and between two callers in one process.
 */
export function tryKernelLock(path: string): KernelLock | undefined {
  createPrivately(path);
  const handle = new DatabaseSync(path, { timeout: 0 });
  try {
    handle.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    handle.close();
    if ((error as { errcode?: number }).errcode === busyCode) return undefined;
    throw error;
  }
  held.add(handle);
  return {
    release() {
      if (held.delete(handle)) handle.close();
    },
  };
}

/** The same, but waits up to `timeoutMs`; undefined when it is still taken after that. */
export async function waitForKernelLock(path: string, timeoutMs: number): Promise<KernelLock | undefined> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const lock = tryKernelLock(path);
    if (lock || Date.now() >= deadline) return lock;
    await delay(50);
  }
}

/**
 * 0600, or any account that can read the file could hold a read lock on it and keep us from starting. Opened only
 * when it is new: closing any descriptor of a file drops all fcntl() locks this process has on it.
 */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
