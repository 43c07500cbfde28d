/**
 * What is translated in order. A run is a chapter, so that each segment knows how the one before it was translated; short chapters go
 * together. A run that would make the book late is cut, at the beginning of a scene where there is one near its middle.
 */
import { inlineTagsOf } from '../../inline-tags.ts';
import type { Segment } from './segment.ts';

/** No run is shorter in a book that has so many: every cut is a place where the voice may change. */
export const minRunCharacters = 6_000;

/** How much later a book may be for its order than the same calls would be in any order. */
const maxDelay = 1.1;

type Planned = Pick<Segment, 'section' | 'characters' | 'startsScene' | 'load' | 'units'>;

interface Run<T> {
  items: T[];
  work: number;
  characters: number;
  /** Index of the segment that its second part begins with; 0 where no cut leaves enough on both sides. */
  cut: number;
}

export function planRuns<T extends { segment: Planned }>(tasks: readonly T[], slots: number): T[][] {
  const works = new Map(tasks.map((task) => [task, workOf(task)]));
  const makespan = (runs: readonly (readonly T[])[]): number =>
    makespanOf(runs, { slots, workOf: (task) => works.get(task) ?? 0 });
  const runs = chapters(tasks);
  const freeOrder = makespan(tasks.map((task) => [task]));
  for (const limit = freeOrder * maxDelay; ; ) {
    const longest = longestOf(runs);
    if (longest === undefined) break;
    // What is too long for itself is cut without asking how the others fare beside it.
    if (longest.work <= limit && makespan(runs.map(({ items }) => items)) <= limit) break;
    const { items, cut } = longest;
    runs.splice(runs.indexOf(longest), 1, runOf(items.slice(0, cut)), runOf(items.slice(cut)));
  }
  return runs.map(({ items }) => items);
}

function longestOf<T>(runs: readonly Run<T>[]): Run<T> | undefined {
  let longest: Run<T> | undefined;
  for (const run of runs) if (run.cut > 0 && run.work > (longest?.work ?? 0)) longest = run;
  return longest;
}

/** Sections in their order; those that are short for a run go with the next, and the last ones with those before. */
function chapters<T extends { segment: Planned }>(tasks: readonly T[]): Run<T>[] {
  const runs: Run<T>[] = [];
  for (const [, items] of Map.groupBy(tasks, ({ segment }) => segment.section)) {
    const last = runs.at(-1);
    if (last === undefined || last.characters >= minRunCharacters) runs.push(runOf(items));
    else runs.splice(-1, 1, runOf([...last.items, ...items]));
  }
  const [before, last] = runs.slice(-2);
  if (before !== undefined && last !== undefined && last.characters < minRunCharacters)
    runs.splice(-2, 2, runOf([...before.items, ...last.items]));
  return runs;
}

function runOf<T extends { segment: Planned }>(items: T[]): Run<T> {
  const work = items.reduce((sum, item) => sum + workOf(item), 0);
  const characters = items.reduce((sum, { segment }) => sum + segment.characters, 0);
  const cut = characters < 2 * minRunCharacters ? 0 : placeToCut(items, work, characters);
  return { items, work, characters, cut };
}

/** Ranks of places to cut at: the beginning of a chapter, of a scene, of a paragraph. */
const ranks = { chapter: 0, scene: 1, paragraph: 2 };

/** How far from the middle of a run a chapter or a scene may begin to be cut at, as a share of the run. */
const nearTheMiddle = 0.25;

function placeToCut<T extends { segment: Planned }>(items: readonly T[], work: number, characters: number): number {
  let best = { at: 0, rank: Number.POSITIVE_INFINITY, distance: Number.POSITIVE_INFINITY };
  let [workBefore, charactersBefore] = [0, 0];
  for (const [at, item] of items.entries()) {
    const isLong = Math.min(charactersBefore, characters - charactersBefore) >= minRunCharacters;
    if (at > 0 && isLong) {
      const distance = Math.abs(workBefore / work - 0.5);
      const rank = distance <= nearTheMiddle ? rankOf(item.segment, items[at - 1]?.segment) : ranks.paragraph;
      if (rank < best.rank || (rank === best.rank && distance < best.distance)) best = { at, rank, distance };
    }
    workBefore += workOf(item);
    charactersBefore += item.segment.characters;
  }
  return best.at;
}

function rankOf(segment: Planned, before: Planned | undefined): number {
  if (segment.section !== before?.section) return ranks.chapter;
  return segment.startsScene === true ? ranks.scene : ranks.paragraph;
}

/** When the last of some runs ends, with so many calls at a time. */
export function makespanOf<T>(runs: readonly (readonly T[])[], options: QueueOptions<T>): number {
  const { slots, workOf } = options;
  const queue = new RunQueue(runs, options);
  /** With when they end. */
  const calls = new Map<T, number>();
  for (let now = 0; ; ) {
    for (let item = queue.take(); item !== undefined; item = calls.size < slots ? queue.take() : undefined)
      calls.set(item, now + workOf(item));
    if (calls.size === 0) return now;
    now = Math.min(...calls.values());
    const [ended] = [...calls].find(([, ends]) => ends === now) ?? [];
    if (ended === undefined) return now;
    calls.delete(ended);
    queue.handOn(ended);
  }
}

/**
 * How long its answer takes, in tokens: every line has a number and quotation marks around it, and a contents page is nothing but lines. Inline
 * tags are no part of the load, and half of what a colophon full of names in italics is answered with.
 */
export function workOf({ segment: { load, units } }: { segment: Planned }): number {
  const tags = units.reduce((sum, { text }) => sum + inlineTagsOf(text).length, 0);
  return tokensUntilTheFirst + load + units.length * tokensPerLine + tags * tokensPerTag;
}

/** A server is silent for 0.6 to 1.5 s, and writes 50 to 80 tokens a second then. */
const tokensUntilTheFirst = 50;
const tokensPerLine = 4;
const tokensPerTag = 3;

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

/**
 * Which segment goes next. The segments of a run follow each other, runs go side by side. They go from the front, so that chapters can be
 * read early. But a run that takes nearly as long as everything that is left goes first, the longest of them before the others. Where
 * there is a slot for every run that is ready, none of them is late.
 */
export class RunQueue<T> {
  readonly #options: QueueOptions<T>;
  readonly #ready = new Set<QueuedRun<T>>();
  /** Taken, and not handed on, with the runs that they are of. */
  readonly #taken = new Map<T, QueuedRun<T>>();
  #changed = Promise.withResolvers<void>();
  #isOver = false;
  /** Items that were not taken. */
  #left = 0;
  #work = 0;
  #workInFlight = 0;

  constructor(runs: Iterable<readonly T[]>, options: QueueOptions<T>) {
    this.#options = options;
    for (const [number, items] of [...runs].entries()) {
      const work = items.reduce((sum, item) => sum + options.workOf(item), 0);
      if (items.length > 0) this.#ready.add({ number, items, next: 0, work });
      this.#left += items.length;
      this.#work += work;
    }
  }

  /** Items one by one, each as soon as it may be taken. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    while (this.#left > 0 && !this.#isOver) {
      const item = this.take();
      if (item !== undefined) yield item;
      else await this.#changed.promise;
    }
  }

  /** Undefined when nothing is left, or everything that is left follows what is under way. */
  take(): T | undefined {
    const run = this.#choose();
    const item = run?.items[run.next];
    if (run === undefined || item === undefined) return undefined;
    const work = this.#options.workOf(item);
    run.next++;
    run.work -= work;
    this.#ready.delete(run);
    this.#taken.set(item, run);
    this.#left--;
    this.#work -= work;
    this.#workInFlight += work;
    return item;
  }

  /** What follows this item may be taken. Once for each item: later calls do nothing. */
  handOn(item: T): void {
    const run = this.#taken.get(item);
    if (run === undefined) return;
    this.#taken.delete(item);
    this.#workInFlight -= this.#options.workOf(item);
    if (run.next < run.items.length) this.#ready.add(run);
    this.#wake();
  }

  /** Nothing more is handed out: nobody waits for what follows an item that has failed. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  #choose(): QueuedRun<T> | undefined {
    let first: QueuedRun<T> | undefined;
    let longest: QueuedRun<T> | undefined;
    for (const run of this.#ready) {
      if (first === undefined || run.number < first.number) first = run;
      const isLonger = longest === undefined || run.work > longest.work;
      if (isLonger || (run.work === longest?.work && run.number < longest.number)) longest = run;
    }
    if (this.#ready.size <= this.#options.slots - this.#taken.size) return first;
    // What is under way is half done, on average.
    const bound = (lateShare * (this.#work + this.#workInFlight / 2)) / this.#options.slots;
    return longest !== undefined && longest.work >= bound ? longest : first;
  }
}
