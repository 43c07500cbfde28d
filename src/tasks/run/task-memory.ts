/** What the worker answers when a book asks what is remembered. */
import type { Db } from '../../platform/postgres.ts';
import { findFitting, findMemory, type MemoryOwner } from '../../series/memory-store.ts';
import { joinTerms, lockTermsVersion, readSeriesState } from '../../series/term-store.ts';
import type { Remembered } from '../../translation/memory/choose.ts';
import type { SeriesState } from '../../translation/memory/series-terms.ts';
import { isPaidBefore } from '../price.ts';
import type { Task } from '../task.ts';
import type { FrozenTerms, RememberedQuestion } from './book-host.ts';
import type { BookWrites } from './book-writes.ts';

export function memoryOf(task: Task): MemoryOwner {
  return { accountId: task.accountId, sandbox: task.sandbox, seriesId: task.seriesId };
}

/** What the series of a task remembers, or its account outside of series. */
export class TaskMemory {
  readonly #db: Db;
  readonly #task: Task;
  #memory: ReturnType<typeof findMemory> | undefined;

  constructor(db: Db, task: Task) {
    this.#db = db;
    this.#task = task;
  }

  /** Of all texts that it has. */
  async characters(): Promise<number> {
    return (await this.#found())?.characters ?? 0;
  }

  /** By text key. One indexed query for all of them, and a second one for lines that stand in very many places. */
  async find({ places, grades }: RememberedQuestion): Promise<ReadonlyMap<string, Remembered[]>> {
    const task = this.#task;
    const memory = await this.#found();
    if (memory === undefined) return new Map();
    const rows = await findFitting(this.#db, task.accountId, memory.id, places, grades);
    const found = rows.map(({ text, task: earlier, ...row }) => ({ text, ...row, free: isPaidBefore(task, earlier) }));
    // What is paid for comes first: of equal translations that one is taken.
    return Map.groupBy(
      found.toSorted((a, b) => Number(b.free) - Number(a.free)),
      ({ text }) => text,
    );
  }

  #found(): ReturnType<typeof findMemory> {
    this.#memory ??= findMemory(this.#db, memoryOf(this.#task));
    return this.#memory;
  }
}

/** A series that was deleted under its task has no terms any more. */
export async function seriesOf(db: Db, { accountId, seriesId }: Task): Promise<SeriesState | undefined> {
  if (seriesId === undefined) return undefined;
  const gone: SeriesState = { version: 0, supplied: [], extracted: [], story: '', style: undefined };
  return (await readSeriesState(db, accountId, seriesId)) ?? gone;
}

/**
 * Terms join the series in the transaction that freezes them for the task.
 * @returns the series as it is now when its terms changed since `version`; nothing was saved then
 * @throws Fenced
 */
export async function freezeInSeries(
  db: Db,
  task: Task,
  writes: Pick<BookWrites, 'saveWithin'>,
  { version, terms, record }: FrozenTerms,
): Promise<SeriesState | undefined> {
  const { accountId, seriesId } = task;
  return await db.transaction().execute(async (trx) => {
    const current = seriesId === undefined ? undefined : await lockTermsVersion(trx, accountId, seriesId);
    if (seriesId !== undefined && current !== undefined) {
      if (current !== version) return await readSeriesState(trx, accountId, seriesId);
      await joinTerms(trx, seriesId, terms, task.id);
    }
    await writes.saveWithin(trx, record);
    return undefined;
  });
}
