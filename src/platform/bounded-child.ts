import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize } from 'node:v8';
import { AppError } from '../errors.ts';
import { type ChildAnswer, endFault, thrownFault, timeFault } from './bounded-child-faults.ts';

export interface BoundedOptions {
  /** Counted from when a child takes the job; time in the queue does not count. */
  timeoutMs: number;
  /** JavaScript heap of the child. Buffers and the like may use the same amount again. */
  memoryMb: number;
  /** Owner of the input: while one input of an owner is slow, that owner's next inputs wait for it. */
  owner?: string;
  signal?: AbortSignal;
}

export interface BoundedChildrenSettings {
  /** Jobs at the same time, without slow ones. */
  concurrency?: number;
  /** After this time a job counts as slow: it continues beside the others at a lower priority. */
  slowAfterMs?: number;
  /** Slow jobs that may run beside the others. */
  maxSlow?: number;
  /** Children kept ready, with the modules of `preload` loaded. */
  idle?: number;
  idleMemoryMb?: number;
  preload?: readonly URL[];
  /** Folders that a job may read, besides our own code; any file when left out. */
  readable?: readonly string[];
  /** After so many jobs a child is replaced, so that a slow leak in a parser never matters. */
  jobsPerChild?: number;
  maxQueued?: number;
  maxResultBytes?: number;
}

/**
 * Runs functions on hostile input in child processes, so that the input harms only itself: memory and time are capped. The
 * child gets none of our environment (no secrets). It may read files (only those in `readable`, if set), but it may not write
 * them, start programs or open connections, and it ends with its parent even if the parent is killed.
 *
 * It does not take time from others either: 80 kB of nested Markdown links keep the reader busy for minutes, and two such
 * files would block everyone. A slow job therefore gives up its place, runs at a lower priority, and delays only the next
 * inputs of its owner.
 *
 * A process and not a worker thread: a thread that runs out of Buffer memory or overflows a native stack takes
 * the whole process with it. A warm child answers a small job in 0.1 ms (median; p99 2.3 ms at a load of 10 on two
 * cores); a cold one needs 100 ms on a quiet machine and 500 ms at that load.
 */
export class BoundedChildren {
  readonly #settings: Required<BoundedChildrenSettings>;
  readonly #children = new Set<Child>();
  readonly #queue: Job[] = [];
  readonly #slow = new Set<Job>();
  #running = 0;
  #closed = false;

  /** Starts the idle children; they do not keep the process alive. */
  constructor(settings: BoundedChildrenSettings = {}) {
    this.#settings = {
      concurrency: 2,
      // A novel of 2 MB is read in a fifth of this time; one of 20 MB continues at the lower priority.
      slowAfterMs: 1_000,
      maxSlow: 8,
      idle: 2,
      idleMemoryMb: 512,
      preload: [],
      readable: [],
      // With 100, a busy process was always starting a child: 127 and 136 creates a second, against 262 and 170 with 1,000.
      jobsPerChild: 1_000,
      maxQueued: 500,
      maxResultBytes: 64 * 1024 * 1024,
      ...settings,
    };
    this.#prewarm();
  }

  /**
   * Calls the exported function with one structured-cloneable argument. Pass a large input as a file path.
   * First come, first served, except for owners with a slow job. An AppError of the function is thrown as AppError.
   * Otherwise throws BAD_REQUEST with reason UNREADABLE_SOURCE when the input was too much for the function (memory,
   * time, stack, any other exception, an exit), UNAVAILABLE when the failure is ours, and the reason of an aborted signal.
   */
  async run<T>(moduleUrl: URL, functionName: string, argument: unknown, options: BoundedOptions): Promise<T> {
    options.signal?.throwIfAborted();
    if (this.#closed) throw unavailable('The service is stopping.');
    if (this.#queue.length >= this.#settings.maxQueued) throw unavailable('Too many files are being read just now.');
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const request = {
      moduleUrl: moduleUrl.href,
      functionName,
      argument,
      maxResultBytes: this.#settings.maxResultBytes,
    };
    const job: Job = { request, options, resolve, reject };
    const onAbort = () => {
      const at = this.#queue.indexOf(job);
      if (at >= 0) this.#queue.splice(at, 1);
      reject(options.signal?.reason);
    };
    options.signal?.addEventListener('abort', onAbort, { once: true });
    this.#queue.push(job);
    this.#next();
    try {
      return (await promise) as T;
    } finally {
      options.signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Ends all children; running and waiting jobs fail with UNAVAILABLE. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.splice(0)) job.reject(unavailable('The service is stopping.'));
    await Promise.all([...this.#children].map((child) => child.end(unavailable('The service is stopping.'))));
  }

  #next(): void {
    while (this.#running - this.#slow.size < this.#settings.concurrency) {
      const heldBack = new Set([...this.#slow].map((job) => job.options.owner));
      const at = this.#queue.findIndex(({ options }) => options.owner === undefined || !heldBack.has(options.owner));
      const [job] = at < 0 ? [] : this.#queue.splice(at, 1);
      if (!job) return;
      this.#running += 1;
      void this.#take(job).finally(() => {
        this.#running -= 1;
        this.#next();
        this.#prewarm();
      });
    }
  }

  async #take(job: Job): Promise<void> {
    const child = this.#idleChild(job.options.memoryMb) ?? this.#start(job.options.memoryMb);
    const slowTimer = setTimeout(() => {
      if (this.#slow.size >= this.#settings.maxSlow) return;
      this.#slow.add(job);
      child.yield();
      this.#prewarm();
      this.#next();
    }, this.#settings.slowAfterMs);
    try {
      job.resolve(await child.run(job));
    } catch (error) {
      job.reject(error);
    }
    clearTimeout(slowTimer);
    // Its priority cannot be raised again.
    if (this.#slow.delete(job)) void child.end();
    if (child.jobs >= this.#settings.jobsPerChild) void child.end();
    this.#trim();
  }

  #idleChild(memoryMb: number): Child | undefined {
    return [...this.#children].find((child) => child.isIdle && child.memoryMb === memoryMb);
  }

  #start(memoryMb: number): Child {
    const { preload, readable } = this.#settings;
    const child = new Child(memoryMb, preload, readable, () => this.#children.delete(child));
    this.#children.add(child);
    return child;
  }

  #prewarm(): void {
    if (this.#closed) return;
    const { idle, idleMemoryMb, concurrency } = this.#settings;
    const wanted = Math.min(idle, concurrency);
    for (let ready = this.#children.size - this.#slow.size; ready < wanted; ready++) this.#start(idleMemoryMb);
  }

  /** Children of an unusual size are not worth keeping beside the usual ones. */
  #trim(): void {
    const idle = [...this.#children].filter((child) => child.isIdle);
    idle.sort(
      (one, other) =>
        Number(other.memoryMb === this.#settings.idleMemoryMb) - Number(one.memoryMb === this.#settings.idleMemoryMb),
    );
    for (const child of idle.slice(this.#settings.idle)) void child.end();
  }
}

interface Job {
  request: { moduleUrl: string; functionName: string; argument: unknown; maxResultBytes: number };
  options: BoundedOptions;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

class Child {
  readonly memoryMb: number;
  jobs = 0;
  readonly #process: ChildProcess;
  readonly #exited: Promise<void>;
  #state: 'idle' | 'busy' | 'ended' = 'idle';
  #settle: ((outcome: { answer: ChildAnswer } | { fault: unknown }) => void) | undefined;
  #stderr = '';

  constructor(memoryMb: number, preload: readonly URL[], readable: readonly string[], onEnd: () => void) {
    this.memoryMb = memoryMb;
    const [program, ...args] = command(memoryMb, readable);
    this.#process = fork(
      new URL('bounded-child-main.ts', import.meta.url),
      preload.map((url) => url.href),
      {
        execPath: program,
        execArgv: args,
        env: {},
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      },
    );
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-2_000);
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exited = promise;
    const ended = (fault: () => unknown) => {
      this.#state = 'ended';
      this.#settle?.({ fault: fault() });
      onEnd();
      resolve();
    };
    this.#process.on('message', (answer) => this.#settle?.({ answer: answer as ChildAnswer }));
    this.#process.on('error', (cause) => ended(() => unavailable('No process could be started.', cause)));
    // `close` and not `exit`: by then all of stderr has been read.
    this.#process.on('close', (code, signal) => ended(() => endFault(code, signal, this.#stderr)));
    this.#hold(false);
  }

  get isIdle(): boolean {
    return this.#state === 'idle';
  }

  async run({ request, options }: Job): Promise<unknown> {
    this.#state = 'busy';
    this.jobs += 1;
    this.#hold(true);
    const { promise, resolve } = Promise.withResolvers<{ answer: ChildAnswer } | { fault: unknown }>();
    this.#settle = resolve;
    const giveUp = (fault: unknown) => {
      resolve({ fault });
      void this.end();
    };
    const timer = setTimeout(() => giveUp(timeFault(options.timeoutMs)), options.timeoutMs);
    const onAbort = () => giveUp(options.signal?.reason);
    options.signal?.addEventListener('abort', onAbort, { once: true });
    this.#process.send(request, (error) => {
      if (error) giveUp(unavailable('The process for reading files has ended.', error));
    });
    const outcome = await promise;
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
    this.#settle = undefined;
    if ('fault' in outcome) throw outcome.fault;
    if (outcome.answer.kind === 'thrown' && !outcome.answer.isAppError) void this.end();
    else this.#rest();
    if (outcome.answer.kind === 'thrown') throw thrownFault(outcome.answer);
    return deserialize(outcome.answer.value);
  }

  /** Uses only the processor time that the others leave. */
  yield(): void {
    try {
      if (this.#process.pid !== undefined) setPriority(this.#process.pid, constants.priority.PRIORITY_LOW);
    } catch {
      // It has just ended.
    }
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

  #rest(): void {
    if (this.#state === 'busy') this.#state = 'idle';
    this.#hold(false);
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

/** Young objects get 4 MB instead of up to 32: reading 20 MB of text is no slower and takes 50 MB less. */
export const smallNursery: readonly string[] = ['--max-semi-space-size=4'];

/**
 * `setpriv` and `prlimit` (util-linux) where available: the first makes the kernel end the child with its parent,
 * the second caps what the heap limit does not see, such as Buffers. Elsewhere the heap and time limits remain.
 */
function command(memoryMb: number, readable: readonly string[]): [program: string, ...args: string[]] {
  const heap = [`--max-old-space-size=${memoryMb}`, ...smallNursery];
  const node = [process.execPath, ...heap, '--permission', ...readPermissions(readable)];
  // Node 26 maps 582 MiB of writable memory at start and leaves most of it untouched; the limit counts mapped memory.
  const limit = ['/usr/bin/prlimit', `--data=${(640 + memoryMb * 2) * 1024 * 1024}`, '--core=0', '--'];
  const bind = ['/usr/bin/setpriv', '--pdeathsig', 'KILL', '--'];
  const words = [bind, limit].filter(([program]) => program !== undefined && existsSync(program)).flat();
  const [program = process.execPath, ...args] = [...words, ...node, '--disable-warning=ExperimentalWarning'];
  return [program, ...args];
}

/** Our code is where this file is; the packages may be somewhere else, behind a link. */
function readPermissions(folders: readonly string[]): string[] {
  if (folders.length === 0) return ['--allow-fs-read=*'];
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const packages = join(root, 'node_modules');
  const own = [root, ...(existsSync(packages) ? [`${realpathSync(packages)}/`] : [])];
  return [...own, ...folders.map((folder) => `${folder}/`)].map((folder) => `--allow-fs-read=${folder}*`);
}

function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('UNAVAILABLE', message, { retryAfterSeconds: 5, cause });
}
