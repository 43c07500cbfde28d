import type { Tell } from './embedded-server.ts';
import type { Folders } from './folders.ts';
import { isPostmaster, waitUntilGone } from './postmaster.ts';

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
