/** The worker beside an API process on one machine: a child process that is restarted if it dies. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { environmentWith } from '../config.ts';
import type { Log } from '../platform/log.ts';

export interface WorkerProcess {
  /** Its last report; empty before the first one. */
  metrics(): object[];
  stop(): Promise<void>;
}

/** Sent from the worker to the process that keeps it. */
export interface WorkerMessage {
  metrics: object;
}

const metricsIntervalMs = 5_000;

/** The worker's side: sends its metrics over the channel, because it has no port. */
export function reportMetrics(read: () => Promise<object>): void {
  const timer = setInterval(async () => {
    const message: WorkerMessage = { metrics: await read() };
    if (process.connected) process.send?.(message);
  }, metricsIntervalMs);
  timer.unref();
}

const restartDelayMs = 1_000;
const main = fileURLToPath(new URL('./main.ts', import.meta.url));

/**
 * The worker stops when the channel closes, either on purpose or because this process was killed. This process alone handles
 * signals of the terminal (Ctrl-C reaches both).
 */
export function keepWorker(databaseUrl: string, log: Log): WorkerProcess {
  let stopping = false;
  let child: ChildProcess;
  let exited: Promise<void>;
  let metrics: object[] = [];
  const start = () => {
    child = spawn(process.execPath, [...process.execArgv, main, 'serve', '--role', 'worker'], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: environmentWith({ TOLEDO_DATABASE_URL: databaseUrl }),
    });
    child.on('message', (message: WorkerMessage) => {
      metrics = [message.metrics];
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
    metrics: () => metrics,
    async stop() {
      stopping = true;
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
