/** The worker beside an API process on one machine: a child process that is restarted if it dies. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
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
/** As `nice` counts: whoever waits for an answer of the API does not wait for the worker. Its books are nicer still. */
const workerNiceness = 3;
const main = fileURLToPath(new URL('./main.ts', import.meta.url));

/**
 * The worker stops when the channel closes, either on purpose or because this process was killed. This process alone handles
 * signals of the terminal (Ctrl-C reaches both).
 */
export function keepWorker(databaseUrl: string, log: Log): WorkerProcess {
  let stopping = false;
  let child: ChildProcess | undefined;
  let exited = Promise.resolve();
  let metrics: object[] = [];
  const startLater = () => {
    if (!stopping) setTimeout(() => !stopping && start(), restartDelayMs).unref();
  };
  const start = () => {
    try {
      child = spawn(process.execPath, [...process.execArgv, main, 'serve', '--role', 'worker'], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        env: environmentWith({ TOLEDO_DATABASE_URL: databaseUrl }),
      });
    } catch (error) {
      // No memory for it just now: the API goes on, and tasks wait.
      log.error({ err: error }, 'the worker process could not be started; trying again');
      return startLater();
    }
    if (child.pid !== undefined) stepBack(child.pid);
    child.on('message', (message: WorkerMessage) => {
      metrics = [message.metrics];
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    exited = promise;
    const ended = (text: string, facts: object) => {
      resolve();
      if (!stopping) log.error(facts, text);
      startLater();
    };
    const { pid } = child;
    child.once('error', (error) => {
      if (pid === undefined) ended('the worker process could not be started; trying again', { err: error });
    });
    child.once('exit', (code, signal) => ended('the worker process ended; starting it again', { code, signal }));
  };
  start();
  return {
    metrics: () => metrics,
    async stop() {
      stopping = true;
      if (child?.connected) child.disconnect();
      await exited;
    },
  };
}

function stepBack(pid: number): void {
  try {
    setPriority(pid, workerNiceness);
  } catch {
    // It has just ended, which its end reports.
  }
}
