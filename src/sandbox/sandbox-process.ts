/** One process of the sandbox: its limits, and the conversation with it. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { deserialize } from 'node:v8';
import { type Blame, endFault, processorFault, thrownFault, timeFault, unavailable } from './job-faults.ts';
import type { FromProcess, HostFunction, JobAnswer, RunMessage, ToProcess } from './job-module.ts';
import { type Confinement, compileCache, confinedNode } from './process-command.ts';
import { SpanRelay } from './tracing-relay.ts';

export interface JobLimits {
  /** From the moment a process takes the job; waiting in the queue does not count. For jobs that do not wait. */
  timeoutMs?: number;
  /** Processor time of the job. Measured on Linux; elsewhere only for jobs without a host, by the clock. */
  processorMs?: number;
  /** JavaScript heap. Buffers and the like may use the same amount again. */
  memoryMb: number;
  signal?: AbortSignal;
  blame?: Blame;
}

export interface ProcessOptions extends Confinement {
  preload: readonly URL[];
  onEnd(): void;
}

export interface ProcessJob {
  request: Omit<RunMessage, 'kind' | 'isTraced'>;
  host: object | undefined;
  limits: JobLimits;
  /** Called again and again with the processor time the job has used. */
  onProcessorTime(usedMs: number): void;
}

type Outcome = { answer: JobAnswer } | { fault: unknown };

const watchIntervalMs = 200;
/**
 * The processes that answer requests go first: otherwise they wait 2 to 15 ms each time for a processor. It is the same for those
 * of the API and of the worker, whatever ours: at twice the share, glossaries that the API reads kept books waiting for 1.5 s.
 */
const niceness = 10;
/** More than ours, when the service was itself started with a low priority. */
const leastStep = 5;
const lowestPriority = 19;
/** Loading takes a second, many times that on a busy machine; one that has not ended by now never does. */
const loadLimitMs = 120_000;

export class SandboxProcess {
  readonly memoryMb: number;
  jobs = 0;
  idleSinceMs = performance.now();
  readonly #process: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #loading = Promise.withResolvers<boolean>();
  #state: 'idle' | 'taken' | 'ended' = 'idle';
  #blame: Blame = 'reading';
  #settle: ((outcome: Outcome) => void) | undefined;
  #onMessage: ((message: Exclude<FromProcess, { kind: 'loaded' }>) => void) | undefined;
  #stderr = '';

  /** @throws when no process can be started: what `fork` throws, such as ENOMEM, or an error of our own */
  constructor(options: ProcessOptions) {
    this.memoryMb = options.memoryMb;
    const [program, ...args] = confinedNode(options);
    const modules = options.preload.map(({ href }) => href);
    this.#process = fork(new URL('sandbox-process-main.ts', import.meta.url), modules, {
      execPath: program,
      execArgv: args,
      env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache },
      serialization: 'advanced',
      // Not detached: Linux would share the processor evenly among sessions, whatever the niceness of their processes.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const { pid } = this.#process;
    // Without descriptors or process ids `fork` returns a process that never was, some of them without streams and `send`.
    if (pid === undefined) {
      this.#process.on('error', () => {});
      throw new Error('no process was made: too many processes or open files');
    }
    stepBack(pid);
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-2_000);
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exited = promise;
    const stuck = setTimeout(() => void this.end(), loadLimitMs);
    stuck.unref();
    const ended = (fault: () => unknown) => {
      this.#state = 'ended';
      clearTimeout(stuck);
      this.#loading.resolve(false);
      this.#settle?.({ fault: fault() });
      options.onEnd();
      resolve();
    };
    this.#process.on('message', (message: FromProcess) => {
      if (message.kind === 'loaded') {
        clearTimeout(stuck);
        this.#loading.resolve(true);
      } else this.#onMessage?.(message);
    });
    this.#process.on('error', (cause) => ended(() => unavailable('No process could be started.', cause)));
    // `close` and not `exit`: by then all of stderr has been read.
    this.#process.on('close', (code, signal) => ended(() => endFault(code, signal, this.#stderr, this.#blame)));
    this.#hold(false);
  }

  /** Resolves to false when it has ended first. */
  get loaded(): Promise<boolean> {
    return this.#loading.promise;
  }

  get isIdle(): boolean {
    return this.#state === 'idle';
  }

  /** Nobody else gets it from now on, until `release`. */
  take(): void {
    this.#state = 'taken';
    this.#hold(true);
  }

  release(): void {
    if (this.#state === 'ended') return;
    this.#state = 'idle';
    this.idleSinceMs = performance.now();
    this.#hold(false);
  }

  /** Once it is taken and loaded. */
  async run({ request, host, limits, onProcessorTime }: ProcessJob): Promise<unknown> {
    const { signal, timeoutMs, processorMs, blame = 'reading' } = limits;
    this.#blame = blame;
    this.jobs += 1;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#settle = resolve;
    const giveUp = (fault: unknown) => {
      resolve({ fault });
      void this.end();
    };
    const spans = new SpanRelay();
    const calls = hostCalls(host, spans, (message) => this.#send(message, giveUp), giveUp);
    this.#onMessage = (message) => {
      if (message.kind === 'call') void calls.answer(message);
      else if (message.kind === 'abandoned') calls.abandon(message.id);
      else if (message.kind === 'span-started' || message.kind === 'span-ended') spans.take(message);
      else resolve({ answer: message });
    };
    const used = this.#processorClock(host !== undefined);
    const watch = setInterval(() => {
      const usedMs = used();
      if (processorMs !== undefined && usedMs > processorMs) giveUp(processorFault(processorMs, blame));
      else onProcessorTime(usedMs);
    }, watchIntervalMs);
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => giveUp(timeFault(timeoutMs)), timeoutMs);
    const onAbort = () => giveUp(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#send({ ...request, kind: 'run', isTraced: spans.isTraced }, giveUp);
    const outcome = await promise;
    clearInterval(watch);
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    this.#settle = undefined;
    this.#onMessage = undefined;
    calls.abandonAll();
    spans.endAll();
    if ('fault' in outcome) throw outcome.fault;
    if (outcome.answer.kind === 'thrown' && !outcome.answer.isAppError) void this.end();
    if (outcome.answer.kind === 'thrown') throw thrownFault(outcome.answer, blame);
    return deserialize(outcome.answer.value);
  }

  /** Kills it; a running job fails with `fault`. */
  async end(fault?: unknown): Promise<void> {
    this.#state = 'ended';
    if (fault !== undefined) this.#settle?.({ fault });
    // A caller may be waiting for this end, so it must come before our own.
    this.#hold(true);
    this.#process.kill('SIGKILL');
    await this.#exited;
  }

  /** Milliseconds from now on. Where the system does not report them, a job that does not wait counts as always working. */
  #processorClock(waits: boolean): () => number {
    const { pid } = this.#process;
    const startedAtMs = performance.now();
    const startMs = processorMsOf(pid) ?? 0;
    return () => {
      const nowMs = processorMsOf(pid);
      if (nowMs !== undefined) return nowMs - startMs;
      return waits ? 0 : performance.now() - startedAtMs;
    };
  }

  #send(message: ToProcess, onFault: (fault: unknown) => void): void {
    this.#process.send(message, (error) => {
      if (error) onFault(unavailable('The process for reading files has ended.', error));
    });
  }

  /** Only a process with a job keeps ours alive. */
  #hold(isBusy: boolean): void {
    const stderr = this.#process.stderr as (NodeJS.ReadableStream & { ref?(): void; unref?(): void }) | null;
    for (const handle of [this.#process, this.#process.channel, stderr]) {
      if (isBusy) handle?.ref?.();
      else handle?.unref?.();
    }
  }
}

function stepBack(pid: number): void {
  try {
    setPriority(pid, Math.min(Math.max(niceness, getPriority() + leastStep), lowestPriority));
  } catch {
    // It has just ended.
  }
}

/** The calls of one job to its host. */
function hostCalls(
  host: object | undefined,
  spans: SpanRelay,
  reply: (message: ToProcess) => void,
  fail: (fault: unknown) => void,
) {
  const methods = (host ?? {}) as Record<string, HostFunction | undefined>;
  const running = new Map<number, AbortController>();
  const abandon = (id: number): void => {
    const controller = running.get(id);
    running.delete(id);
    controller?.abort();
  };
  return {
    async answer({ id, method, argument, span }: Extract<FromProcess, { kind: 'call' }>): Promise<void> {
      const controller = new AbortController();
      running.set(id, controller);
      try {
        const target = Object.hasOwn(methods, method) ? methods[method] : undefined;
        if (target === undefined) throw new TypeError(`the host of this job has no ${method}()`);
        const value = await spans.inside(span, () => target(argument, controller.signal));
        if (running.delete(id)) reply({ kind: 'reply', id, value });
      } catch (error) {
        // A call that the job gave up may fail as it likes.
        if (running.delete(id)) fail(error);
      }
    },
    abandon,
    abandonAll() {
      for (const id of [...running.keys()]) abandon(id);
    },
  };
}

/** Linux counts in hundredths of a second, whatever the kernel's own clock. */
const tickMs = 10;

/** Processor time that a process has used so far, in user and kernel mode; undefined where the system does not say (not Linux). */
function processorMsOf(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    // The second field is the program's name in brackets, and may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return undefined;
  }
}
