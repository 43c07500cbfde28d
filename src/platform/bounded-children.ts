import { Child, unavailable } from './bounded-child.ts';
import type { JobArgument, JobHost, JobModule, JobName, JobResult } from './bounded-child-protocol.ts';
import { type BoundedChildrenSettings, type BoundedOptions, withDefaults } from './bounded-children-settings.ts';
import { mostHeapMb } from './memory-limit.ts';

/**
 * How nice a child is to other processes: all of them to those that answer requests, which otherwise wait 2 to 15 ms for a processor
 * each time they have something to do (Linux lets a process that has slept wait for one of nearly the same weight). Patient
 * work (in the background, an owner's second task at a time, or any of an owner that has lately used much while others are
 * there) has a sixth of a processor that eager work wants, slow work an eighth, and what goes on for long a twelfth. None is so nice that
 * it stands still on a machine with much else to do: beside a process that always works, that one has at least a twentieth.
 */
const niceness = { eager: 3, patient: 10, slow: 12, long: 14 };
/** So many times the time after which it is slow, a job is long; a job with a host yields after this share of it. */
const longTimes = 4;
const hostedShare = 0.4;

/** Children that are slow or of another size and wait for the next input of the same owner; of all owners together. */
const maxKeptForOwners = 4;

/** A job that ends sooner gives its child back before a new one would be ready. */
const prewarmDelayMs = 500;

/**
 * Runs functions on partners' input in child processes, so that the input harms only itself: memory and time are
 * capped, the child sees none of our environment (no secrets), reads and writes only the folders it is given, starts no
 * programs and opens no connections, and dies with its parent even when that is killed. What a job needs from outside
 * (engines, checkpoints) it asks its host for, which runs in the parent.
 *
 * Nor does it harm others' time: 80 kB of nested Markdown links keep the reader busy for minutes, and two such files
 * would be enough to stop everybody. So a job that uses much processor time leaves its place to others, runs at a
 * low priority, and holds back only what its owner sends next.
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
  /** Jobs that have a child or look for one, in the order in which they came. */
  readonly #taken = new Set<Job>();
  /** Those that look for one. */
  readonly #seeking = new Map<Job, (child: Child) => void>();
  /** Jobs without a host that have a child, slow ones included. */
  #running = 0;
  #closed = false;
  #upkeep: NodeJS.Timeout | undefined;

  /** Starts the idle children; they do not keep the process alive. */
  constructor(settings: BoundedChildrenSettings = {}) {
    this.#settings = withDefaults(settings);
    this.#prewarm();
  }

  /**
   * Calls the exported function with one structured-cloneable argument and, where it takes one, a host. Pass a large
   * input as a file path. First come, first served, except that owners of slow jobs wait. What the function throws as
   * AppError comes back as AppError, and what its host throws comes back as it is. Otherwise throws BAD_REQUEST with
   * reason UNREADABLE_SOURCE or PROCESSING_LIMIT when the input was too much for the function (see `Blame`),
   * UNAVAILABLE when it was our fault, and the reason of an aborted signal.
   */
  async run<M, K extends JobName<M>>(
    module: JobModule<M>,
    functionName: K,
    argument: JobArgument<M[K]>,
    options: BoundedOptions & JobHost<M[K]>,
  ): Promise<JobResult<M[K]>> {
    options.signal?.throwIfAborted();
    if (this.#closed) throw unavailable('The service is stopping.');
    if (this.#queue.length >= this.#settings.maxQueued) throw unavailable('Too many files are being read just now.');
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const request = {
      moduleUrl: module.url.href,
      functionName,
      argument,
      maxResultBytes: this.#settings.maxResultBytes,
    };
    const job: Job = { request, options, resolve, reject };
    if (options.host !== undefined) {
      void this.#take(job);
      return (await promise) as JobResult<M[K]>;
    }
    const onAbort = () => {
      const at = this.#queue.indexOf(job);
      if (at >= 0) this.#queue.splice(at, 1);
      reject(options.signal?.reason);
    };
    options.signal?.addEventListener('abort', onAbort, { once: true });
    this.#queue.push(job);
    this.#next();
    try {
      return (await promise) as JobResult<M[K]>;
    } finally {
      options.signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Ends all children; running and waiting jobs fail with UNAVAILABLE. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#upkeep);
    for (const job of this.#queue.splice(0)) job.reject(unavailable('The service is stopping.'));
    await Promise.all([...this.#children].map((child) => child.end(unavailable('The service is stopping.'))));
  }

  #next(): void {
    while (this.#running - this.#slow.size < this.#settings.concurrency) {
      const heldBack = this.#ownersToWait();
      const at = this.#queue.findIndex(({ options }) => options.owner === undefined || !heldBack.has(options.owner));
      const [job] = at < 0 ? [] : this.#queue.splice(at, 1);
      if (!job) return;
      this.#running += 1;
      void this.#take(job).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }

  /** Those of slow jobs, and while others are there those of any: one owner does not take all places. */
  #ownersToWait(): Set<string | undefined> {
    const { load } = this.#settings;
    const running = [...this.#taken].filter(
      ({ options }) => options.host === undefined && load.isShared(options.owner),
    );
    return new Set([...this.#slow, ...running].map(({ options }) => options.owner));
  }

  async #take(job: Job): Promise<void> {
    const { options } = job;
    this.#taken.add(job);
    this.#keepUp();
    let child: Child;
    try {
      child = await this.#childFor(job);
      await child.growTo(options.memoryMb);
      if (options.signal?.aborted) {
        // One of another size fits few inputs.
        if (child.memoryMb === this.#settings.idleMemoryMb) this.#spare(child);
        else void child.end();
        throw options.signal.reason;
      }
    } catch (error) {
      this.#taken.delete(job);
      return job.reject(error);
    }
    let isSlow = child.niceness === niceness.slow;
    if (isSlow) this.#slow.add(job);
    const slowAfterMs = this.#settings.slowAfterMs * (options.host === undefined ? 1 : hostedShare);
    let notedMs = 0;
    const noteLoad = (usedMs: number): void => {
      this.#settings.load.note(options.owner, Math.max(0, usedMs - notedMs));
      notedMs = usedMs;
    };
    const onProcessorTime = (usedMs: number): void => {
      noteLoad(usedMs);
      if (isSlow && usedMs >= this.#settings.slowAfterMs * longTimes) child.yield(niceness.long);
      if (isSlow || usedMs < slowAfterMs) return;
      if (options.host === undefined) {
        if (this.#slow.size >= this.#settings.maxSlow) return;
        this.#slow.add(job);
      }
      isSlow = true;
      child.yield(niceness.slow);
      child.leaveOneProcessor();
      this.#next();
    };
    try {
      job.resolve(
        await child.run({
          request: job.request,
          host: options.host,
          blame: options.blame ?? 'reading',
          timeoutMs: options.timeoutMs,
          processorMs: options.processorMs,
          signal: options.signal,
          onProcessorTime,
        }),
      );
    } catch (error) {
      job.reject(error);
    }
    this.#slow.delete(job);
    this.#taken.delete(job);
    noteLoad(child.lastJobMs);
    this.#giveBack(child, options);
    this.#handOver();
    this.#keepUp();
  }

  /**
   * One that is ready; otherwise whichever is first, a new one or one that somebody gives back: on a busy machine a start takes a
   * second, and most jobs a tenth of one. @throws UNAVAILABLE, and the reason of an aborted signal
   */
  async #childFor(job: Job): Promise<Child> {
    const ready = this.#idleChild(job, this.#idle().filter(isLoaded));
    ready?.expectJob();
    if (ready) return ready;
    const coming = this.#idleChild(job, this.#idle()) ?? this.#startFor(job);
    coming.expectJob();
    const { promise, resolve, reject } = Promise.withResolvers<Child>();
    // Whoever has found one or gives up is not given another, from that moment on.
    const settle = (outcome: () => void) => {
      this.#seeking.delete(job);
      outcome();
    };
    this.#seeking.set(job, resolve);
    void coming.loaded.then((isThere) =>
      settle(() => (isThere ? resolve(coming) : reject(unavailable('No process could be started.')))),
    );
    const { signal } = job.options;
    const onAbort = () => settle(() => reject(signal?.reason));
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const found = await promise;
      if (found !== coming) this.#spare(coming);
      return found;
    } catch (error) {
      this.#spare(coming);
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #spare(child: Child): void {
    child.release();
    void child.loaded.then(() => this.#handOver());
  }

  /** To those who look for one, in the order in which they came. */
  #handOver(): void {
    for (const [job, take] of this.#seeking) {
      const child = this.#idleChild(job, this.#idle().filter(isLoaded));
      if (child === undefined) continue;
      child.expectJob();
      this.#seeking.delete(job);
      take(child);
    }
  }

  /**
   * The priority of a slow child cannot be raised again, and one of another size fits few inputs. Such a child waits for what its
   * owner sends next: whoever sends one large file often sends another, and a start costs more than most files.
   */
  #giveBack(child: Child, { owner, host }: Job['options']): void {
    const isUsual = child.memoryMb === this.#settings.idleMemoryMb && child.niceness < niceness.slow;
    const kept = this.#idle().filter((other) => other !== child && other.keptFor !== undefined);
    const mayWait = host === undefined && child.niceness <= niceness.slow && kept.length < maxKeptForOwners;
    child.keptFor = mayWait && !isUsual ? owner : undefined;
    const isDone = child.jobs >= this.#settings.jobsPerChild || (!isUsual && child.keptFor === undefined);
    if (isDone) void child.end();
    else child.release();
  }

  /** The last warm child is not for an owner who has one already: somebody else's sentence may come next. */
  #idleChild(job: Job, idle: Child[]): Child | undefined {
    const { options } = job;
    const own = idle.find((child) => child.keptFor !== undefined && child.keptFor === options.owner);
    if (own && own.memoryMb >= options.memoryMb && options.host === undefined) return own;
    const free = idle.filter((child) => child.keptFor === undefined);
    const fitting = free.filter((child) => child.memoryMb === options.memoryMb);
    const patient = [...fitting, ...free.filter((child) => child.mayGrowToMb >= options.memoryMb)].find(
      (child) => child.niceness === niceness.patient && child.memoryMb <= options.memoryMb,
    );
    const [eager, ...others] = fitting.filter((child) => child.niceness === niceness.eager);
    if (this.#settings.load.isHeavy(options.owner)) {
      patient?.leaveOneProcessor();
      return patient;
    }
    if (options.isBackground) return patient;
    if (!this.#isGreedy(job)) return eager;
    return (options.host && patient) ?? (others.length > 0 ? eager : undefined);
  }

  /** Whether an earlier job of the same owner is under way. */
  #isGreedy(job: Job): boolean {
    const { owner } = job.options;
    if (owner === undefined) return false;
    for (const other of this.#taken) {
      if (other === job) return false;
      if (other.options.owner === owner) return true;
    }
    return false;
  }

  /**
   * A start takes more of the processor than a sentence, so that of a patient one is patient too. Whoever has no host is waited
   * for by a request, and is not. @throws UNAVAILABLE
   */
  #startFor(job: Job): Child {
    const { options } = job;
    const isPatient =
      options.isBackground || this.#settings.load.isHeavy(options.owner) || (options.host && this.#isGreedy(job));
    try {
      // None was ready, so there is more to do than usual, and a part of it that can wait.
      return this.#start(options.memoryMb, isPatient ? niceness.patient : niceness.eager, isPatient === true);
    } catch (cause) {
      throw unavailable('No process could be started.', cause);
    }
  }

  /** @throws what `fork` throws */
  #start(memoryMb: number, nice: number, leavesOne = false): Child {
    const { preload, readable, writable, patientMayGrowToMb } = this.#settings;
    const mostMb = nice === niceness.patient ? Math.min(patientMayGrowToMb, mostHeapMb(memoryMb)) : 0;
    const mayGrowToMb = Math.max(memoryMb, mostMb);
    const waitsFor = nice === niceness.patient ? 'book' : 'sentence';
    const onEnd = () => {
      this.#children.delete(child);
      this.#keepUp();
    };
    const child = new Child({
      memoryMb,
      mayGrowToMb,
      niceness: nice,
      leavesOne,
      waitsFor,
      preload,
      readable,
      writable,
      onEnd,
    });
    this.#children.add(child);
    return child;
  }

  /** Starts what is missing and ends what is too much, but not at once: most jobs are over in milliseconds. */
  #keepUp(): void {
    if (this.#closed || this.#upkeep !== undefined) return;
    this.#upkeep = setTimeout(() => {
      this.#upkeep = undefined;
      this.#prewarm();
      if (this.#trim() > 0) this.#keepUp();
    }, prewarmDelayMs);
    this.#upkeep.unref();
  }

  #prewarm(): void {
    if (this.#closed) return;
    const { idle, idlePatient, idleMemoryMb } = this.#settings;
    try {
      for (let ready = this.#eager().length; ready < idle; ready++) this.#start(idleMemoryMb, niceness.eager);
      for (let ready = this.#patient().length; ready < idlePatient; ready++)
        this.#start(idleMemoryMb, niceness.patient);
    } catch {
      // No memory for another process just now; the next job looks again.
    }
  }

  /** Returns how many idle children are left that will be too many once they have waited long enough. */
  #trim(): number {
    const { idle, idlePatient, idleMs } = this.#settings;
    const newest = (children: Child[], count: number): Child[] =>
      children.sort((one, other) => other.idleSinceMs - one.idleSinceMs).slice(0, count);
    const kept = new Set([...newest(this.#eager(), idle), ...newest(this.#patient(), idlePatient)]);
    const extra = this.#idle().filter((child) => !kept.has(child));
    const old = extra.filter((child) => performance.now() - child.idleSinceMs >= idleMs);
    for (const child of old) void child.end();
    return extra.length - old.length;
  }

  #idle(): Child[] {
    return [...this.#children].filter((child) => child.isIdle);
  }

  #eager(): Child[] {
    return this.#idle().filter((child) => child.niceness === niceness.eager && child.keptFor === undefined);
  }

  #patient(): Child[] {
    return this.#idle().filter((child) => child.niceness === niceness.patient && child.keptFor === undefined);
  }
}

const isLoaded = (child: Child): boolean => child.isLoaded;

interface Job {
  request: { moduleUrl: string; functionName: string; argument: unknown; maxResultBytes: number };
  options: BoundedOptions & { host?: object | undefined };
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}
