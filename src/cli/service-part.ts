/** A part of the service, its API or its worker: a child process that is started again when it ends by itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../config.ts';
import type { DatabaseServer } from '../platform/database-server.ts';
import type { Log } from '../platform/log.ts';

export type PartName = 'api' | 'worker';

/** The first message to a part. */
export interface PartOrder {
  databaseUrl: string;
  embedded: boolean;
  /** False when the part has been started before. */
  isFirst: boolean;
  /** The one that it had before; undefined = as configured. */
  port: number | undefined;
}

export type MessageToPart = { order: PartOrder } | { metrics: object } | { stop: string };
export type MessageFromPart = { ready: { port: number | undefined } } | { metrics: object };

export type ServicePart = ReturnType<typeof keepPart>;

export interface PartOptions {
  name: PartName;
  /** A part loads its modules while the database starts. */
  database: Promise<Pick<DatabaseServer, 'url' | 'embedded'>>;
  log: Log;
  onMetrics?: (metrics: object) => void;
}

const main = fileURLToPath(new URL('./part-main.ts', import.meta.url));
/**
 * A client that waits for an answer of the API does not wait for the worker. At one priority the slowest 1 % of `GET /usage`
 * took 32 ms beside forty tiny tasks instead of 24. Its books are nicer still.
 */
const workerNiceness = 5;
const lowestPriority = 19;
const firstDelayMs = 250;
const longestDelayMs = 30_000;
/** A part that was ready for so long has recovered: its next end is a first one again. */
const recoveredMs = 60_000;

/** The part ends when the channel to it closes, also because this process was killed. */
export function keepPart(options: PartOptions) {
  const { name, database, log, onMetrics } = options;
  const started = Promise.withResolvers<'ready' | 'failed'>();
  let stopping = false;
  let isFirst = true;
  let isReady = false;
  let port: number | undefined;
  let child: ChildProcess | undefined;
  let exited = Promise.resolve();
  let delayMs = firstDelayMs;
  let timer: NodeJS.Timeout | undefined;

  const startLater = (text: string, facts: object) => {
    if (stopping) return;
    log.error({ ...facts, part: name, nextStartMs: delayMs }, text);
    timer = setTimeout(start, delayMs);
    delayMs = Math.min(2 * delayMs, longestDelayMs);
  };
  const onMessage = (message: MessageFromPart) => {
    if ('metrics' in message) return onMetrics?.(message.metrics);
    port = message.ready.port;
    isFirst = false;
    isReady = true;
    started.resolve('ready');
    const recovered = setTimeout(() => {
      delayMs = firstDelayMs;
    }, recoveredMs);
    recovered.unref();
    void exited.then(() => clearTimeout(recovered));
  };
  const start = () => {
    let spawned: ChildProcess;
    try {
      spawned = spawn(process.execPath, [...process.execArgv, main, name], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        env: processEnvironment(),
      });
    } catch (err) {
      // No memory or no descriptor for it just now.
      return startLater(`the ${name} process could not be started; trying again`, { err });
    }
    child = spawned;
    isReady = false;
    const { pid } = child;
    const { promise, resolve } = Promise.withResolvers<void>();
    exited = promise;
    child.on('message', onMessage);
    child.once('error', (err) => {
      if (pid !== undefined) return;
      resolve();
      startLater(`the ${name} process could not be started; trying again`, { err });
    });
    child.once('exit', (code, signal) => {
      resolve();
      // There is no service without an API: a first start that fails is not repeated.
      if (isFirst && name === 'api') return started.resolve('failed');
      startLater(`the ${name} process ended; starting it again`, {
        ended: pid,
        code,
        signal,
        ...likelyCause(code, signal),
      });
    });
    if (pid === undefined) return;
    if (name === 'worker') stepBack(pid);
    database.then(
      ({ url, embedded }) => spawned === child && send({ order: { databaseUrl: url, embedded, isFirst, port } }),
      () => {},
    );
  };
  const send = (message: MessageToPart) => {
    // It may end at any moment, which its end reports.
    if (child?.connected) child.send(message, () => {});
  };
  start();
  return {
    /** Resolves when it is ready for the first time, or when the first start has failed, of which the part itself tells. */
    started: started.promise,
    send,
    /** @param signal what the service was asked to stop with */
    async stop(signal: string): Promise<void> {
      stopping = true;
      clearTimeout(timer);
      // A part that is still starting has nothing to finish, and may be a while on a busy machine.
      if (isReady) send({ stop: signal });
      else child?.kill('SIGKILL');
      await exited;
    },
  };
}

/** The operating system does not say why it kills; mostly it is this. */
function likelyCause(code: number | null, signal: NodeJS.Signals | null): { likely?: string } {
  if (signal === 'SIGABRT' || code === 134) return { likely: 'its heap was full' };
  return signal === 'SIGKILL' ? { likely: 'the machine was out of memory, or the watchdog ended it' } : {};
}

function stepBack(pid: number): void {
  try {
    setPriority(pid, Math.min(getPriority() + workerNiceness, lowestPriority));
  } catch {
    // It has just ended, which its end reports.
  }
}
