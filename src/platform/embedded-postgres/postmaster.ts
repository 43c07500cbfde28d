import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Tell } from './embedded-server.ts';
import type { Folders } from './folders.ts';
import { runProgram } from './run-program.ts';

export interface Postmaster {
  pid: number;
  /** undefined at the very start, before the server has written it. */
  socketDir: string | undefined;
}

/**
 * The server that runs on this cluster, if any. The pid in postmaster.pid alone proves nothing: after a crash the
 * number may belong to any other program. It counts only if that process is `.../postgres -D <this cluster>`.
 */
export async function findPostmaster(folders: Folders): Promise<Postmaster | undefined> {
  const lines = readLockFile(folders);
  const pid = Number(lines?.[0]);
  if (!lines || !Number.isSafeInteger(pid) || pid <= 1) return undefined;
  if (!(await isPostmaster(pid, folders))) return undefined;
  return { pid, socketDir: lines[4]?.trim() || undefined };
}

/** True while `pid` is still the server of this cluster. */
export async function isPostmaster(pid: number, folders: Folders): Promise<boolean> {
  const command = await commandLine(pid);
  return command !== undefined && isServerOn(pid, command, folders.cluster);
}

/**
 * Each step waits before the next: SIGINT is the fast shutdown with a checkpoint (20-120 ms when idle). SIGQUIT
 * ends without one, and the next start recovers. SIGKILL is for a process that no longer reacts.
 */
const steps = [
  { signal: 'SIGINT', waitMs: 20_000 },
  { signal: 'SIGQUIT', waitMs: 10_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

/** Ends the server `pid` of this cluster and waits for its end. Does nothing if it has ended already. */
export async function stopServer(pid: number, folders: Folders, log: Tell): Promise<void> {
  for (const { signal, waitMs } of steps) {
    // Checked again before each signal: the pid may belong to another program by now.
    if (!(await isPostmaster(pid, folders))) return;
    if (signal !== 'SIGINT') log('the embedded database does not stop, trying harder', { pid, signal });
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    if (await waitUntilGone(pid, folders, waitMs)) return;
  }
  throw new Error(`The embedded database (pid ${pid}) cannot be ended`);
}

/** Waits until `pid` is no longer that server; false when it still is after `timeoutMs`. */
async function waitUntilGone(pid: number, folders: Folders, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (let pauseMs = 10; await isPostmaster(pid, folders); pauseMs = Math.min(pauseMs * 1.5, 200)) {
    if (Date.now() >= deadline) return false;
    await delay(pauseMs);
  }
  return true;
}

/**
 * Ends backends of this cluster that outlived their postmaster (it was killed): one that computes does not notice for as long as
 * it computes. The next server refuses to start while it is attached to the shared memory. Nothing they do can be committed;
 * recovery starts from the log on disk. Linux only; elsewhere the start is retried until they are gone.
 */
export function endLeftoverBackends(folders: Folders): void {
  if (process.platform !== 'linux') return;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const title = readFileSync(`/proc/${entry}/cmdline`, 'utf8');
      if (title.startsWith('postgres: ') && readlinkSync(`/proc/${entry}/cwd`) === folders.cluster)
        process.kill(Number(entry), 'SIGKILL');
    } catch {
      // It ended in the meantime, or belongs to another account.
    }
  }
}

function readLockFile(folders: Folders): string[] | undefined {
  try {
    return readFileSync(join(folders.cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** The arguments of a living process (a zombie has none), or undefined. */
async function commandLine(pid: number): Promise<string[] | undefined> {
  if (process.platform === 'linux') {
    try {
      const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return text === '' ? undefined : text.split('\0');
    } catch {
      return undefined;
    }
  }
  // ps joins the arguments with blanks, so a path with blanks is put together again by isServerOn().
  const ps = await runProgram('/bin/ps', ['-ww', '-o', 'stat=,command=', '-p', String(pid)], { timeoutMs: 5_000 });
  const line = ps.output.trim();
  return ps.code !== 0 || line === '' || line.startsWith('Z') ? undefined : line.split(/\s+/).slice(1);
}

function isServerOn(pid: number, command: string[], cluster: string): boolean {
  if (process.platform !== 'linux') return command.join(' ').includes(`/postgres -D ${cluster} `);
  // Backends have titles such as "postgres: checkpointer", so this is the postmaster.
  if (!command[0]?.endsWith('/postgres') || command[1] !== '-D') return false;
  if (command[2] === cluster) return true;
  try {
    // The server works inside its cluster, which also finds it after the folder was moved.
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  } catch {
    return false;
  }
}
