/** The parent's side of the process that holds the model: started at first use, ended when nobody has needed it for long. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { EngineError } from '../engine-error.ts';
import type { DraftRequest } from './draft-block.ts';
import type { FromDraftProcess, ToDraftProcess } from './draft-process.ts';
import type { DraftAnswer } from './translate-blocks.ts';

const program = fileURLToPath(new URL('./draft-process.ts', import.meta.url));
const idleMs = 5 * 60_000;
/** It needs 350 to 450 MB for one model; beyond this something leaks, and a fresh one costs half a second. */
const maxResidentBytes = 1_500_000_000;
const heapMegabytes = 512;
/** A request has a thousand words and takes a few seconds; two may wait in line on a machine that is busy elsewhere. */
const longestRequestMs = 5 * 60_000;

interface Running {
  process: ChildProcess;
  pending: Map<number, PromiseWithResolvers<DraftAnswer>>;
  /** Takes nothing new and ends when it has answered. */
  retiring: boolean;
}

export class DraftChild {
  readonly #folder: string;
  readonly #threads: number;
  #running: Running | undefined;
  #idle: NodeJS.Timeout | undefined;
  #nextId = 1;

  /** @param threads 0 = as many as the machine has */
  constructor(folder: string, threads: number) {
    this.#folder = folder;
    this.#threads = threads;
  }

  /** @throws EngineError, the signal's reason */
  async translate(request: DraftRequest, signal: AbortSignal): Promise<DraftAnswer> {
    signal.throwIfAborted();
    clearTimeout(this.#idle);
    const running = this.#running ?? this.#start();
    const id = this.#nextId++;
    const pending = Promise.withResolvers<DraftAnswer>();
    const { promise, reject } = pending;
    running.pending.set(id, pending);
    const cancel = (): void => {
      running.pending.delete(id);
      send(running, { cancel: id });
      reject(signal.reason);
    };
    signal.addEventListener('abort', cancel, { once: true });
    send(running, { id, request });
    const timer = setTimeout(() => {
      running.process.kill('SIGKILL');
      reject(new EngineError('timeout', `the built-in engine gave no answer within ${longestRequestMs / 1000} s`));
    }, longestRequestMs);
    timer.unref();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      this.#rest(running);
    }
  }

  /** Ends the process; what it was doing fails. */
  close(): void {
    clearTimeout(this.#idle);
    this.#running?.process.kill('SIGKILL');
  }

  /** @throws EngineError overloaded, without memory for a process */
  #start(): Running {
    const child = startProcess(this.#folder, this.#threads);
    const running: Running = { process: child, pending: new Map(), retiring: false };
    let ending = 'its process ended';
    const ended = (): void => {
      if (this.#running === running) this.#running = undefined;
      for (const { reject } of running.pending.values())
        reject(new EngineError('overloaded', `the built-in engine failed: ${ending}`));
      running.pending.clear();
    };
    child.once('error', (error) => {
      ending = error.message;
      ended();
    });
    child.once('exit', ended);
    child.on('message', (message: FromDraftProcess) => {
      if ('broken' in message) {
        ending = message.broken;
        child.kill('SIGKILL');
        return;
      }
      const pending = running.pending.get(message.id);
      running.pending.delete(message.id);
      if ('fault' in message) pending?.reject(new EngineError('malformed', message.fault));
      else {
        pending?.resolve({ ...message, translations: new Map(message.translations) });
        if (message.residentBytes > maxResidentBytes && this.#running === running) {
          running.retiring = true;
          this.#running = undefined;
        }
      }
      if (running.retiring && running.pending.size === 0) child.kill('SIGKILL');
    });
    // It must not keep a process alive that has nothing else to do.
    child.unref();
    child.channel?.unref();
    this.#running = running;
    return running;
  }

  #rest(running: Running): void {
    if (this.#running !== running || running.pending.size > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => running.process.kill('SIGKILL'), idleMs);
    this.#idle.unref();
  }
}

function startProcess(folder: string, threads: number): ChildProcess {
  try {
    return fork(program, [folder, String(threads)], {
      // None of our environment: it holds keys, and the model needs nothing of it.
      env: {},
      execArgv: [`--max-old-space-size=${heapMegabytes}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  } catch (cause) {
    throw new EngineError('overloaded', 'the built-in engine failed: no process could be started', { cause });
  }
}

function send(running: Running, message: ToDraftProcess): void {
  if (running.process.connected) running.process.send(message, () => {});
}
