import { unavailable } from './job-faults.ts';
import type { JobArgument, JobHost, JobModule, JobName, JobResult } from './job-module.ts';
import { type JobLimits, SandboxProcess } from './sandbox-process.ts';

export interface JobOptions extends JobLimits {
  /** Owner of the input: at most one long job of an owner runs at a time. */
  owner?: string;
  /** The caller decides how many of them run: it waits for no place and takes none. */
  startsAtOnce?: boolean;
}

export interface SandboxSettings {
  /** Jobs at the same time, not counting long ones and those that start at once. */
  concurrency?: number;
  /** A job that has used this much processor time is long: it gives its place to the next one and goes on. */
  longAfterMs?: number;
  /** Processes kept ready, with the modules of `preload` loaded. */
  warm?: number;
  warmMemoryMb?: number;
  preload?: readonly URL[];
  /** Folders that a job may read, besides our own code; any file when left out. */
  readable?: readonly string[];
  /** Folders that a job may write; none when left out. */
  writable?: readonly string[];
  /** After so many jobs a process is replaced, so that a slow leak in a parser never matters. */
  jobsPerProcess?: number;
}

const defaults: Required<SandboxSettings> = {
  concurrency: 2,
  // A novel of 2 MB is read in a fifth of this time.
  longAfterMs: 1_000,
  warm: 2,
  warmMemoryMb: 512,
  preload: [],
  readable: [],
  writable: [],
  jobsPerProcess: 1_000,
};

/** Long jobs that may run beside the others. */
const maxLong = 8;
const maxQueued = 500;
/** Processes beyond `warm` are kept this long: a partner's next task finds one that need not load its modules for half a second. */
const idleMs = 30_000;
/** A job that ends sooner gives its process back before a new one would be ready. */
const upkeepDelayMs = 500;

interface Job {
  options: JobOptions;
  isLong: boolean;
  run(process: SandboxProcess): Promise<unknown>;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

/**
 * Runs functions on partners' input in child processes, so that the input harms only itself. Memory and time are capped. The
 * process sees none of our environment, and so no secrets. It reads and writes only the folders it is given, starts no programs
 * and opens no connections. It dies with its parent, even when that is killed. What a job needs from outside (engines,
 * checkpoints) it asks its host for, which runs in the parent.
 *
 * Nor does it take others' time: 80 kB of nested Markdown links keep the reader busy for minutes, and two such files would
 * stop everybody. So a long job leaves its place to others, and holds back only what its owner sends next.
 *
 * It is a process and not a worker thread. A thread that runs out of Buffer memory or overflows a native stack takes the whole
 * process with it. A warm process answers a small job in 0.1 ms; a cold one needs 100 ms on a quiet machine.
 */
export class Sandbox {
  readonly #settings: Required<SandboxSettings>;
  readonly #processes = new Set<SandboxProcess>();
  readonly #queue: Job[] = [];
  /** Jobs that have left the queue. */
  readonly #running = new Set<Job>();
  #closed = false;
  #upkeep: NodeJS.Timeout | undefined;

  /** Starts the warm processes; they do not keep ours alive. */
  constructor(settings: SandboxSettings = {}) {
    this.#settings = { ...defaults, ...settings };
    this.#keepWarm();
  }

  /**
   * Calls the exported function with one structured-cloneable argument and, where it takes one, a host. Pass a large input
   * as a file path. First come, first served among owners. What the function throws as AppError comes back as AppError, and
   * what its host throws comes back as it is. Otherwise it throws BAD_REQUEST with reason UNREADABLE_SOURCE or
   * PROCESSING_LIMIT when the input was too much for the function (see `Blame`). It throws UNAVAILABLE when it was our
   * fault, and the reason of an aborted signal.
   */
  async run<M, K extends JobName<M>>(
    module: JobModule<M>,
    functionName: K,
    argument: JobArgument<M[K]>,
    options: JobOptions & JobHost<M[K]>,
  ): Promise<JobResult<M[K]>> {
    const { host, signal } = options;
    signal?.throwIfAborted();
    if (this.#closed) throw unavailable('The service is stopping.');
    if (this.#queue.length >= maxQueued) throw unavailable('Too many files are being read just now.');
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const request = { moduleUrl: module.url.href, functionName, argument };
    const onProcessorTime = (usedMs: number) => {
      if (usedMs >= this.#settings.longAfterMs) this.#noteLong(job);
    };
    const job: Job = {
      options,
      isLong: false,
      run: (process) => process.run({ request, host, limits: options, onProcessorTime }),
      resolve,
      reject,
    };
    const onAbort = () => {
      const at = this.#queue.indexOf(job);
      if (at >= 0) this.#queue.splice(at, 1);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    if (options.startsAtOnce) void this.#perform(job);
    else {
      this.#queue.push(job);
      this.#next();
    }
    try {
      return (await promise) as JobResult<M[K]>;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Ends all processes; running and waiting jobs fail with UNAVAILABLE. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#upkeep);
    for (const job of this.#queue.splice(0)) job.reject(unavailable('The service is stopping.'));
    await Promise.all([...this.#processes].map((process) => process.end(unavailable('The service is stopping.'))));
  }

  #next(): void {
    while (this.#placesTaken() < this.#settings.concurrency) {
      const job = this.#nextJob();
      if (job === undefined) return;
      this.#queue.splice(this.#queue.indexOf(job), 1);
      this.#running.add(job);
      void this.#perform(job).finally(() => {
        this.#running.delete(job);
        this.#next();
      });
    }
  }

  #placesTaken(): number {
    return [...this.#running].filter(({ isLong }) => !isLong).length;
  }

  /** First an owner that has no job under way; an owner of a long job waits for it. */
  #nextJob(): Job | undefined {
    const running = [...this.#running];
    const hasNo = (jobs: readonly Job[], { options: { owner } }: Job): boolean =>
      owner === undefined || !jobs.some((job) => job.options.owner === owner);
    const long = running.filter(({ isLong }) => isLong);
    return this.#queue.find((job) => hasNo(running, job)) ?? this.#queue.find((job) => hasNo(long, job));
  }

  #noteLong(job: Job): void {
    const longJobs = [...this.#running].filter(({ isLong }) => isLong).length;
    if (job.isLong || !this.#running.has(job) || longJobs >= maxLong) return;
    job.isLong = true;
    this.#next();
  }

  async #perform(job: Job): Promise<void> {
    let process: SandboxProcess | undefined;
    try {
      process = this.#processFor(job.options.memoryMb);
      process.take();
      this.#scheduleUpkeep();
      if (!(await process.loaded)) throw unavailable('No process could be started.');
      job.options.signal?.throwIfAborted();
      job.resolve(await job.run(process));
    } catch (error) {
      job.reject(error);
    }
    if (process) this.#giveBack(process);
  }

  /** @throws UNAVAILABLE */
  #processFor(memoryMb: number): SandboxProcess {
    // The oldest, whose modules are loaded.
    const ready = this.#idle().find((process) => process.memoryMb >= memoryMb);
    if (ready) return ready;
    try {
      return this.#start(Math.max(memoryMb, this.#settings.warmMemoryMb));
    } catch (cause) {
      throw unavailable('No process could be started.', cause);
    }
  }

  /** One of another size fits few inputs. */
  #giveBack(process: SandboxProcess): void {
    const { jobsPerProcess, warmMemoryMb } = this.#settings;
    if (process.jobs >= jobsPerProcess || process.memoryMb !== warmMemoryMb) void process.end();
    else process.release();
    this.#scheduleUpkeep();
  }

  /** @throws what `fork` throws */
  #start(memoryMb: number): SandboxProcess {
    const { preload, readable, writable } = this.#settings;
    const onEnd = () => {
      this.#processes.delete(process);
      this.#scheduleUpkeep();
    };
    const process = new SandboxProcess({ memoryMb, preload, readable, writable, onEnd });
    this.#processes.add(process);
    return process;
  }

  /** Not at once: most jobs are over in milliseconds. */
  #scheduleUpkeep(): void {
    if (this.#closed || this.#upkeep !== undefined) return;
    this.#upkeep = setTimeout(() => {
      this.#upkeep = undefined;
      const idle = this.#idle();
      const extra = Math.max(0, idle.length - this.#settings.warm);
      const old = idle.filter(({ idleSinceMs }) => performance.now() - idleSinceMs >= idleMs);
      for (const process of old.slice(0, extra)) void process.end();
      this.#keepWarm();
      if (extra > 0) this.#scheduleUpkeep();
    }, upkeepDelayMs);
    this.#upkeep.unref();
  }

  #keepWarm(): void {
    const { warm, warmMemoryMb } = this.#settings;
    try {
      for (let ready = this.#idle().length; ready < warm; ready++) this.#start(warmMemoryMb);
    } catch {
      // No memory for another process just now; the next job looks again.
    }
  }

  #idle(): SandboxProcess[] {
    return [...this.#processes].filter((process) => process.isIdle);
  }
}
