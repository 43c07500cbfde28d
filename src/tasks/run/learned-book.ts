/** What a book teaches, collected until its task completes; as much as possible is written ahead of that. */
import type { BlockPlace } from '../../translation/memory/block-keys.ts';
import { isSameMemory, type NewMemory, placeOf } from '../../translation/memory/remember.ts';
import type { Task } from '../task.ts';
import type { ActionOutcome } from './action-outcome.ts';
import type { LearnedPart } from './book-host.ts';
import type { EndAhead } from './end-ahead.ts';
import { rememberBook } from './remember-book.ts';

/** Fewer are written in no time, and the account's other tasks would wait for this one's files. */
const fewestAhead = 300;
/** The files of a longer text take seconds, for which nobody is to wait. */
const longestAhead = 5_000_000;

export class LearnedBook {
  readonly #task: Task;
  readonly #end: EndAhead | undefined;
  /** By their places. */
  readonly #memories = new Map<string, NewMemory>();
  readonly #paidPlaces: BlockPlace[] = [];
  /** What is in the transaction that completes the task. */
  #written: ReadonlyMap<string, NewMemory> = new Map();

  /** @param end absent where nothing is learned */
  constructor(task: Task, end: EndAhead | undefined) {
    this.#task = task;
    this.#end = end;
  }

  get all(): Required<Pick<ActionOutcome, 'memories' | 'paidPlaces'>> {
    return { memories: [...this.#memories.values()], paidPlaces: this.#paidPlaces };
  }

  remember({ memories, anew }: LearnedPart): void {
    if (anew) this.#memories.clear();
    for (const memory of memories) this.#memories.set(placeOf(memory), memory);
  }

  payFor(places: readonly BlockPlace[]): void {
    this.#paidPlaces.push(...places);
  }

  /** When little of it can change; once, because what is written stays as it is. */
  writeAhead(): void {
    if (this.#written.size > 0 || !this.#isWorthAhead()) return;
    this.#written = new Map(this.#memories);
    const memories = [...this.#written.values()];
    this.#end?.write((trx) => rememberBook(trx, this.#task, { memories }));
  }

  /** When everything is there. */
  writeRest(): void {
    if (this.#written.size === 0 && !this.#isWorthAhead()) return;
    const memories = [...this.#memories].flatMap(([place, memory]) => (this.#written.has(place) ? [] : [memory]));
    this.#end?.write(async (trx) => {
      if (this.#hasChanged()) throw new Error('what was written ahead has changed since');
      await rememberBook(trx, this.#task, { memories, paidPlaces: this.#paidPlaces });
    });
  }

  #isWorthAhead(): boolean {
    return this.#memories.size >= fewestAhead && this.#task.charCount <= longestAhead;
  }

  #hasChanged(): boolean {
    for (const [place, memory] of this.#written) if (!isSameMemory(memory, this.#memories.get(place))) return true;
    return false;
  }
}
