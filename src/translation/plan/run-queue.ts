/**
 * Which segment goes next. The segments of a run follow each other, runs go side by side. From the front, so that chapters can be read
 * early; but a run that takes nearly as long as everything that is left goes first, the longest of them before the others.
 */
export interface QueueOptions<T> {
  /** Calls at a time. */
  slots: number;
  /** How long it takes, in any unit. */
  workOf: (item: T) => number;
}

/** With 0.8 a book ends as early as when the longest run always goes first, and its chapters much earlier (`bench/runs.ts`). */
const lateShare = 0.8;

interface QueuedRun<T> {
  /** In the order of the book. */
  number: number;
  items: readonly T[];
  next: number;
  /** Of the items that were not taken yet. */
  work: number;
}

export class RunQueue<T> {
  readonly #options: QueueOptions<T>;
  /** In the order of the book. */
  readonly #ready: QueuedRun<T>[] = [];
  readonly #runs = new Map<T, QueuedRun<T>>();
  /** Taken, and not handed on. */
  readonly #taken = new Set<T>();
  #left = 0;
  #work = 0;
  #workInFlight = 0;

  constructor(runs: Iterable<readonly T[]>, options: QueueOptions<T>) {
    this.#options = options;
    for (const [number, items] of [...runs].entries()) {
      const run = { number, items, next: 0, work: items.reduce((sum, item) => sum + options.workOf(item), 0) };
      for (const item of items) this.#runs.set(item, run);
      if (items.length > 0) this.#ready.push(run);
      this.#left += items.length;
      this.#work += run.work;
    }
  }

  /** Items that were not taken. */
  get left(): number {
    return this.#left;
  }

  /** Undefined when nothing is left, or everything that is left follows what is under way. */
  take(): T | undefined {
    const run = this.#choose();
    const item = run?.items[run.next];
    if (run === undefined || item === undefined) return undefined;
    const work = this.#options.workOf(item);
    run.next++;
    run.work -= work;
    this.#ready.splice(this.#ready.indexOf(run), 1);
    this.#taken.add(item);
    this.#left--;
    this.#work -= work;
    this.#workInFlight += work;
    return item;
  }

  /** What follows this item may be taken. Once for each item: later calls do nothing. */
  handOn(item: T): void {
    if (!this.#taken.delete(item)) return;
    this.#workInFlight -= this.#options.workOf(item);
    const run = this.#runs.get(item);
    if (run === undefined || run.next >= run.items.length) return;
    const place = this.#ready.findIndex(({ number }) => number > run.number);
    this.#ready.splice(place < 0 ? this.#ready.length : place, 0, run);
  }

  #choose(): QueuedRun<T> | undefined {
    // What is under way is half done, on average.
    const bound = (lateShare * (this.#work + this.#workInFlight / 2)) / this.#options.slots;
    let longest: QueuedRun<T> | undefined;
    for (const run of this.#ready) if (run.work > (longest?.work ?? 0)) longest = run;
    return longest !== undefined && longest.work >= bound ? longest : this.#ready[0];
  }
}
