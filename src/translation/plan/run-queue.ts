/**
 * Which segment goes next. The segments of a run follow each other, runs go side by side. From the front, so that chapters can be read
 * early; but a run that takes nearly as long as everything that is left goes first, the longest of them before the others. Where there is
 * a slot for every run that is ready, none of them is late.
 */
import { Heap } from './heap.ts';

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
  isReady: boolean;
}

/** A run as it was when it became ready: what is left of it does not change while it waits. */
interface Entry<T> {
  run: QueuedRun<T>;
  next: number;
  work: number;
}

export class RunQueue<T> {
  readonly #options: QueueOptions<T>;
  /** Both have every run that is ready, and some that were taken from the other one since. */
  readonly #fromTheFront = new Heap<Entry<T>>((a, b) => a.run.number < b.run.number);
  readonly #longestFirst = new Heap<Entry<T>>(
    (a, b) => a.work > b.work || (a.work === b.work && a.run.number < b.run.number),
  );
  readonly #runs = new Map<T, QueuedRun<T>>();
  /** Taken, and not handed on. */
  readonly #taken = new Set<T>();
  #left = 0;
  #ready = 0;
  #work = 0;
  #workInFlight = 0;

  constructor(runs: Iterable<readonly T[]>, options: QueueOptions<T>) {
    this.#options = options;
    for (const [number, items] of [...runs].entries()) {
      const run = {
        number,
        items,
        next: 0,
        isReady: false,
        work: items.reduce((sum, item) => sum + options.workOf(item), 0),
      };
      for (const item of items) this.#runs.set(item, run);
      if (items.length > 0) this.#makeReady(run);
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
    run.isReady = false;
    this.#ready--;
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
    this.#makeReady(run);
  }

  #makeReady(run: QueuedRun<T>): void {
    run.isReady = true;
    this.#ready++;
    const entry = { run, next: run.next, work: run.work };
    this.#fromTheFront.push(entry);
    this.#longestFirst.push(entry);
  }

  #choose(): QueuedRun<T> | undefined {
    if (this.#ready <= this.#options.slots - this.#taken.size) return firstReady(this.#fromTheFront);
    // What is under way is half done, on average.
    const bound = (lateShare * (this.#work + this.#workInFlight / 2)) / this.#options.slots;
    const longest = firstReady(this.#longestFirst);
    return longest !== undefined && longest.work >= bound ? longest : firstReady(this.#fromTheFront);
  }
}

function firstReady<T>(heap: Heap<Entry<T>>): QueuedRun<T> | undefined {
  for (let entry = heap.peek(); entry !== undefined; entry = heap.peek()) {
    if (entry.run.isReady && entry.next === entry.run.next) return entry.run;
    heap.pop();
  }
  return undefined;
}
