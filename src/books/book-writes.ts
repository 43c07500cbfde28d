/**
 * What a book's process gives the worker to keep, written in the order in which it came. Everything that arrives while one write
 * is under way goes into the next one. So a sentence is kept in two or three commits and not in ten. A book with many calls in
 * flight commits as often as the disk can, not as often as an engine answers.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { countCharacters } from '../documents/document.ts';
import { type EventQueue, recordEvent } from '../events/record-event.ts';
import type { Platform } from '../platform/platform.ts';
import type { Trx } from '../platform/postgres.ts';
import { markReady, saveChapters } from '../reading/chapter-store.ts';
import type { Attempt } from '../tasks/attempt.ts';
import type { Action, Task } from '../tasks/task.ts';
import { recordSent } from '../tasks/uncharged-store.ts';
import type { PlannedChapter } from '../translation/chapters.ts';
import type { EngineRequest, RecordPage, SavedRecord } from './book-host.ts';
import { loadRecords, readyCharactersOf, saveRecords } from './checkpoint-store.ts';

interface Write {
  record?: SavedRecord;
  chapters?: readonly PlannedChapter[];
  /** With the last chapters the plan is complete, and what an earlier run has finished can be told. */
  isPlanned?: boolean;
  done(): void;
  failed(error: unknown): void;
}

const writesAtOnce = 100;

export interface WrittenTask {
  deps: Pick<Platform, 'db' | 'metrics'> & { queue: EventQueue };
  task: Task;
  attempt: Attempt;
}

export class BookWrites {
  readonly #of: WrittenTask;
  readonly #waiting: Write[] = [];
  #writing: Promise<void> | undefined;
  #readyCharacters = 0;
  /** Source text that engines were sent since the last write. */
  #sentCharacters = 0;

  constructor(task: WrittenTask) {
    this.#of = task;
  }

  async load(after: string | undefined): Promise<RecordPage> {
    const { readyCharacters, ...page } = await loadRecords(this.#of.deps.db, this.#of.task.id, after);
    this.#readyCharacters = readyCharacters + (after === undefined ? 0 : this.#readyCharacters);
    return page;
  }

  /** @throws Fenced */
  save(record: SavedRecord): Promise<void> {
    return this.#add({ record });
  }

  /** @throws Fenced */
  saveChapters(chapters: readonly PlannedChapter[], isPlanned: boolean): Promise<void> {
    return this.#add({ chapters, isPlanned });
  }

  /** In a transaction of the caller's. Nothing else may be waiting. @throws Fenced */
  async saveWithin(trx: Trx, record: SavedRecord): Promise<void> {
    await saveRecords(trx, this.#of.attempt, [record], {});
  }

  countSent(request: EngineRequest): void {
    for (const { text } of 'blocks' in request ? request.blocks : [request])
      this.#sentCharacters += countCharacters(text);
  }

  /** Waits for what is under way: a book that is tried again must find it. */
  async close(): Promise<void> {
    await this.#writing;
    // A count that cannot be stored now is no reason to lose the work.
    await recordSent(this.#of.deps.db, this.#of.task.id, this.#sentCharacters).catch(() => {});
  }

  #add(write: Omit<Write, 'done' | 'failed'>): Promise<void> {
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<void>();
    this.#waiting.push({ ...write, done, failed });
    this.#writing ??= this.#writeAll();
    return promise;
  }

  async #writeAll(): Promise<void> {
    // Messages that have arrived together are handled one by one.
    await nextTurn();
    while (this.#waiting.length > 0) {
      const writes = this.#waiting.splice(0, writesAtOnce);
      try {
        await this.#write(writes);
        for (const { done } of writes) done();
      } catch (error) {
        for (const { failed } of [...writes, ...this.#waiting.splice(0)]) failed(error);
      }
    }
    this.#writing = undefined;
  }

  async #write(writes: readonly Write[]): Promise<void> {
    const { deps, task, attempt } = this.#of;
    const records = writes.flatMap(({ record }) => record ?? []);
    const chapters = writes.flatMap((write) => write.chapters ?? []);
    const segments = records.filter(({ kind }) => kind === 'segment');
    const ready = this.#readyCharacters + readyCharactersOf(records);
    const share = Math.min(1, ready / task.charCount);
    const progress = ready === 0 ? 0 : translatingFrom + (translatingTo - translatingFrom) * share;
    const sentCharacters = this.#sentCharacters;
    this.#sentCharacters = 0;
    const counted = { progress, sentCharacters };
    try {
      if (chapters.length === 0 && segments.length === 0) await saveRecords(deps.db, attempt, records, counted);
      else
        await deps.db.transaction().execute(async (trx) => {
          await saveRecords(trx, attempt, records, counted);
          await saveChapters(trx, task.id, chapters);
          const isPlanned = writes.some((write) => write.isPlanned);
          if (isPlanned || segments.length > 0)
            await tellReady(trx, deps.queue, task, isPlanned ? undefined : segments.map(({ key }) => key));
        });
    } catch (error) {
      this.#sentCharacters += sentCharacters;
      throw error;
    }
    this.#readyCharacters = ready;
    deps.metrics.segmentsTranslated.inc(segments.length);
  }
}

/** Tells of the chapters that are translated now, each once. @param keys the segments that were saved just now, or any */
async function tellReady(trx: Trx, queue: EventQueue, task: Task, keys: readonly string[] | undefined): Promise<void> {
  for (const { index, characters } of await markReady(trx, task.id, keys)) {
    const data = { task_id: task.id, chapter: index, characters, partner_metadata: task.partnerMetadata };
    const { id: taskId, accountId, sandbox } = task;
    await recordEvent(trx, queue, { accountId, sandbox, type: 'task.chapter_ready', taskId, chapter: index, data });
  }
}

/** The source is read and its language known. */
export const sourceRead = 0.01;
/** The text is analysed; segments are translated from here on. */
const translatingFrom = 0.05;
/** Everything is translated; what follows is writing and storing. */
const translatingTo = 0.97;

/** Of a translation the analysis is the beginning, of an extraction it is all. */
export function analysisProgress(action: Action, share: number): number {
  const end = action === 'glossary_extraction' ? translatingTo : translatingFrom;
  return sourceRead + (end - sourceRead) * share;
}
