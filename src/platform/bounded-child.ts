/** One child process of `BoundedChildren`: its limits, and the conversation with it. */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize } from 'node:v8';
import { AppError } from '../errors.ts';
import { type Blame, endFault, processorFault, thrownFault, timeFault } from './bounded-child-faults.ts';
import type { ChildAnswer, FromChild, HostFunction, KeptFor, RunMessage, ToChild } from './bounded-child-protocol.ts';
import { raiseMemory, withMemory } from './memory-limit.ts';
import { leaveOneProcessor, leavingOneProcessor, makeNice } from './niceness.ts';
import { processorMsOf } from './processor-time.ts';
import { SpanRelay } from './tracing-relay.ts';

export interface ChildOptions {
  memoryMb: number;
  /** What it can be given later; until then its heap and its Buffers together have twice `memoryMb`. */
  mayGrowToMb: number;
  /** As `nice` counts. */
  niceness: number;
  /** Of several processors it never uses one. */
  leavesOne: boolean;
  waitsFor: KeptFor;
  preload: readonly URL[];
  readable: readonly string[];
  writable: readonly string[];
  onEnd(): void;
}

export interface ChildJob {
  request: Omit<RunMessage, 'kind' | 'isTraced'>;
  host: object | undefined;
  blame: Blame;
  timeoutMs: number | undefined;
  processorMs: number | undefined;
  signal: AbortSignal | undefined;
  /** Called again and again with the processor time the job has used. */
  onProcessorTime(usedMs: number): void;
}

type Outcome = { answer: ChildAnswer } | { fault: unknown };

const watchIntervalMs = 200;

/** Loading takes a second, many times that on a busy machine; one that has not ended by now never does. */
const loadLimitMs = 120_000;

/**
 * Where compiled code is kept, when this process keeps any: a child starts with 0.25 instead of 0.7 s of processor time. It may
 * write there only until its modules are loaded (`bounded-child-main.ts`): a child that reads a hostile book must not leave
 * code to others.
 */
const compileCache = parentOf(getCompileCacheDir());

function parentOf(path: string | undefined): string | undefined {
  return path === undefined ? undefined : dirname(path);
}

export class Child {
  memoryMb: number;
  readonly mayGrowToMb: number;
  jobs = 0;
  /** Processor time of the last job; 0 where the system does not say. */
  lastJobMs = 0;
  niceness = 0;
  idleSinceMs = performance.now();
  /** Its modules are there: a job would begin at once. */
  isLoaded = false;
  /** While it is idle: the one owner whose inputs it takes; undefined = anybody's. */
  keptFor: string | undefined;
  readonly #process: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #loading = Promise.withResolvers<boolean>();
  #state: 'idle' | 'taken' | 'ended' = 'idle';
  #blame: Blame = 'reading';
  #settle: ((outcome: Outcome) => void) | undefined;
  #onMessage: ((message: Exclude<FromChild, { kind: 'loaded' }>) => void) | undefined;
  #stderr = '';
  #leavesOne = false;

  /** @throws when no process can be started: what `fork` throws, such as ENOMEM, or an error of our own */
  constructor(options: ChildOptions) {
    this.memoryMb = options.memoryMb;
    this.mayGrowToMb = options.mayGrowToMb;
    this.#leavesOne = options.leavesOne;
    const [program, ...args] = command(options);
    this.#process = fork(
      new URL('bounded-child-main.ts', import.meta.url),
      [options.waitsFor, ...options.preload.map((url) => url.href)],
      {
        execPath: program,
        execArgv: args,
        env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache },
        serialization: 'advanced',
        // A session of its own, so that its niceness counts for everybody (see makeNice).
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      },
    );
    // Without descriptors or process ids `fork` returns a process that never was, some of them without streams and `send`.
    if (this.#process.pid === undefined) {
      this.#process.on('error', () => {});
      throw new Error('no process was made: too many processes or open files');
    }
    this.yield(options.niceness);
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
    this.#process.on('message', (message: FromChild) => {
      if (message.kind === 'loaded') {
        this.isLoaded = true;
        clearTimeout(stuck);
        this.#loading.resolve(true);
      } else this.#onMessage?.(message);
    });
    this.#process.on('error', (cause) => ended(() => unavailable('No process could be started.', cause)));
    // `close` and not `exit`: by then all of stderr has been read.
    this.#process.on('close', (code, signal) => ended(() => endFault(code, signal, this.#stderr, this.#blame)));
    this.#hold(false);
  }

  /** Resolves to false when it has ended before. */
  get loaded(): Promise<boolean> {
    return this.#loading.promise;
  }

  get isIdle(): boolean {
    return this.#state === 'idle';
  }

  /** Nobody else gets it from now on: `run` or `release` comes next. */
  expectJob(): void {
    this.#state = 'taken';
    this.#hold(true);
    if (!this.isLoaded) this.#send({ kind: 'expected' }, () => {});
  }

  /** The next job may have it: after a job of its own, or when the one that was to come has found another child. */
  release(): void {
    if (this.#state === 'ended') return;
    this.#state = 'idle';
    this.idleSinceMs = performance.now();
    this.#hold(false);
  }

  /** After `expectJob`, and before `release`. */
  async run(job: ChildJob): Promise<unknown> {
    this.#blame = job.blame;
    this.jobs += 1;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#settle = resolve;
    const giveUp = (fault: unknown) => {
      resolve({ fault });
      void this.end();
    };
    const spans = new SpanRelay();
    const calls = new HostCalls(job.host, spans, (message) => this.#send(message, giveUp), giveUp);
    let startedAt = { processorMs: processorMsOf(this.#process.pid) ?? 0, ms: performance.now() };
    this.#onMessage = (message) => {
      if (message.kind === 'ready') startedAt = { ...startedAt, processorMs: processorMsOf(this.#process.pid) ?? 0 };
      else if (message.kind === 'call') void calls.answer(message);
      else if (message.kind === 'abandoned') calls.abandon(message.id);
      else if (message.kind === 'span-started' || message.kind === 'span-ended') spans.take(message);
      else resolve({ answer: message });
    };
    const watch = setInterval(() => {
      const used = processorMsOf(this.#process.pid);
      // Where the system does not report processor time, a job that does not wait counts as always working.
      const usedMs =
        used === undefined ? (job.host ? 0 : performance.now() - startedAt.ms) : used - startedAt.processorMs;
      if (job.processorMs !== undefined && usedMs > job.processorMs) giveUp(processorFault(job.processorMs, job.blame));
      else job.onProcessorTime(usedMs);
    }, watchIntervalMs);
    const { timeoutMs } = job;
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => giveUp(timeFault(timeoutMs)), timeoutMs);
    const onAbort = () => giveUp(job.signal?.reason);
    job.signal?.addEventListener('abort', onAbort, { once: true });
    this.#send({ ...job.request, kind: 'run', isTraced: spans.isTraced }, giveUp);
    const outcome = await promise;
    this.lastJobMs = Math.max(0, (processorMsOf(this.#process.pid) ?? 0) - startedAt.processorMs);
    clearInterval(watch);
    clearTimeout(timer);
    job.signal?.removeEventListener('abort', onAbort);
    this.#settle = undefined;
    this.#onMessage = undefined;
    calls.abandonAll();
    spans.endAll();
    if ('fault' in outcome) throw outcome.fault;
    if (outcome.answer.kind === 'thrown' && !outcome.answer.isAppError) void this.end();
    if (outcome.answer.kind === 'thrown') throw thrownFault(outcome.answer, job.blame);
    return deserialize(outcome.answer.value);
  }

  /** For a job that needs so much. @param memoryMb at most `mayGrowToMb` */
  async growTo(memoryMb: number): Promise<void> {
    if (memoryMb <= this.memoryMb || this.#process.pid === undefined) return;
    this.memoryMb = memoryMb;
    await raiseMemory(this.#process.pid, memoryMb, this.mayGrowToMb);
  }

  /** From now on it leaves more of the processor to others. @param niceness as `nice` counts, and never less than before */
  yield(niceness: number): void {
    if (niceness <= this.niceness) return;
    this.niceness = niceness;
    if (this.#process.pid !== undefined) makeNice(this.#process.pid, niceness);
  }

  /** From now on it leaves one of several processors to others altogether. */
  leaveOneProcessor(): void {
    if (this.#process.pid === undefined || this.#leavesOne) return;
    this.#leavesOne = true;
    leaveOneProcessor(this.#process.pid);
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

  #send(message: ToChild, onFault: (fault: unknown) => void): void {
    this.#process.send(message, (error) => {
      if (error) onFault(unavailable('The process for reading files has ended.', error));
    });
  }

  /** Only a child with a job keeps our process alive. */
  #hold(isBusy: boolean): void {
    const stderr = this.#process.stderr as (NodeJS.ReadableStream & { ref?(): void; unref?(): void }) | null;
    for (const handle of [this.#process, this.#process.channel, stderr]) {
      if (isBusy) handle?.ref?.();
      else handle?.unref?.();
    }
  }
}

/** The calls of one job to its parent. */
class HostCalls {
  readonly #host: Record<string, HostFunction | undefined>;
  readonly #spans: SpanRelay;
  readonly #reply: (message: ToChild) => void;
  readonly #fail: (fault: unknown) => void;
  readonly #running = new Map<number, AbortController>();
  #isOver = false;

  constructor(
    host: object | undefined,
    spans: SpanRelay,
    reply: (message: ToChild) => void,
    fail: (fault: unknown) => void,
  ) {
    this.#host = (host ?? {}) as Record<string, HostFunction | undefined>;
    this.#spans = spans;
    this.#reply = reply;
    this.#fail = fail;
  }

  async answer({ id, method, argument, span }: Extract<FromChild, { kind: 'call' }>): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const target = Object.hasOwn(this.#host, method) ? this.#host[method] : undefined;
      if (target === undefined) throw new TypeError(`the host of this job has no ${method}()`);
      const value = await this.#spans.inside(span, () => target(argument, controller.signal));
      if (this.#running.delete(id) && !this.#isOver) this.#reply({ kind: 'reply', id, value });
    } catch (error) {
      // A call that the child gave up may fail as it likes.
      if (this.#running.delete(id) && !this.#isOver) this.#fail(error);
    }
  }

  abandon(id: number): void {
    const controller = this.#running.get(id);
    this.#running.delete(id);
    controller?.abort();
  }

  abandonAll(): void {
    this.#isOver = true;
    for (const id of [...this.#running.keys()]) this.abandon(id);
  }
}

/** Young objects get 4 MB instead of up to 32: reading 20 MB of text is no slower and takes 50 MB less. */
export const smallNursery: readonly string[] = ['--max-semi-space-size=4'];

/**
 * Of a process for books. A novel is read and planned in less; to look through everything for what is no longer used would take a tenth of
 * the time until its first call.
 */
const firstCollectionMb = 96;

/**
 * `setpriv` and `prlimit` (util-linux) where available: the first makes the kernel end the child with its parent,
 * the second caps what the heap limit does not see, such as Buffers. Elsewhere the heap and time limits remain.
 */
function command(options: ChildOptions): [program: string, ...args: string[]] {
  const { memoryMb, mayGrowToMb, leavesOne, waitsFor, readable, writable } = options;
  const heap = [`--max-old-space-size=${mayGrowToMb}`, ...smallNursery];
  if (waitsFor === 'book') heap.push(`--initial-old-space-size=${Math.min(firstCollectionMb, memoryMb)}`);
  const cache = compileCache === undefined ? [] : [compileCache];
  const files = [
    ...readPermissions(readable, cache),
    ...writable.map((folder) => `--allow-fs-write=${folder}/*`),
    ...cache.map((folder) => `--allow-fs-write=${folder}`),
  ];
  const node = [process.execPath, ...heap, '--permission', ...files];
  const setpriv = '/usr/bin/setpriv';
  const words = existsSync(setpriv) ? [setpriv, '--pdeathsig', 'KILL', '--'] : [];
  words.push(...withMemory(memoryMb, mayGrowToMb));
  if (leavesOne) words.push(...leavingOneProcessor());
  const [program = process.execPath, ...args] = [...words, ...node, '--disable-warning=ExperimentalWarning'];
  return [program, ...args];
}

/** Our code is where this file is; the packages may be somewhere else, behind a link. */
function readPermissions(folders: readonly string[], cache: readonly string[]): string[] {
  if (folders.length === 0) return ['--allow-fs-read=*'];
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const packages = join(root, 'node_modules');
  const own = [root, ...(existsSync(packages) ? [`${realpathSync(packages)}/`] : [])];
  return [...own, ...[...folders, ...cache].map((folder) => `${folder}/`)].map(
    (folder) => `--allow-fs-read=${folder}*`,
  );
}

export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('UNAVAILABLE', message, { retryAfterSeconds: 5, cause });
}
