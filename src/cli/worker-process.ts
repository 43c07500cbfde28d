/** The worker beside an API process on one machine: a child that is started again should it die. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { environmentWith } from '../config.ts';
import type { Log } from '../platform/log.ts';

export interface WorkerProcess {
  stop(): Promise<void>;
}

const restartDelayMs = 1_000;
const main = fileURLToPath(new URL('./main.ts', import.meta.url));

/**
 * The channel between the two is their lifeline: the worker stops when it closes, be it on purpose or because this
 * process was killed. Signals of the terminal (Ctrl-C reaches both) are left to this process.
 */
export function keepWorker(databaseUrl: string, log: Log): WorkerProcess {
  let stopping = false;
  let child: ChildProcess;
  let exited: Promise<void>;
  const start = () => {
    child = spawn(process.execPath, [...process.execArgv, main, 'serve', '--role', 'worker'], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: environmentWith({ TOLEDO_DATABASE_URL: databaseUrl }),
    });
    exited = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', (code, signal) => {
        resolve();
        if (stopping) return;
        log.error({ code, signal }, 'the worker process ended; starting it again');
        setTimeout(() => !stopping && start(), restartDelayMs).unref();
      });
    });
  };
  start();
  return {
    async stop() {
      stopping = true;
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
