/**
 * What a book's process gives the worker to keep, written one after the other in the order in which it came. A later run finds a
 * record only with all before it: after a write that failed, nothing is written any more.
 */

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
import { loadRecords, readyCharactersOf, saveRecord } from './checkpoint-store.ts';

export interface WrittenTask {
  deps: Pick<Platform, 'db' | 'metrics'> & { queue: EventQueue };
  task: Task;
  attempt: Attempt;
}

export class BookWrites {
  readonly #of: WrittenTask;
  #last: Promise<void> = Promise.resolve();
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
  async save(record: SavedRecord): Promise<void> {
    const { deps, task } = this.#of;
    const isSegment = record.kind === 'segment';
    await this.#inTurn(record, async (trx) => {
      if (isSegment) await tellReady(trx, deps.queue, task, record.key);
    });
    if (isSegment) deps.metrics.segmentsTranslated.inc();
  }

  /** With the last chapters the plan is complete, and what an earlier run has finished can be told. @throws Fenced */
  async saveChapters(chapters: readonly PlannedChapter[], isPlanned: boolean): Promise<void> {
    const { deps, task } = this.#of;
    await this.#inTurn(undefined, async (trx) => {
      await saveChapters(trx, task.id, chapters);
      if (isPlanned) await tellReady(trx, deps.queue, task, undefined);
    });
  }

  /** In a transaction of the caller's. Nothing else may be waiting. @throws Fenced */
  async saveWithin(trx: Trx, record: SavedRecord): Promise<void> {
    await saveRecord(trx, this.#of.attempt, record, {});
  }

  countSent(request: EngineRequest): void {
    for (const { text } of 'blocks' in request ? request.blocks : [request])
      this.#sentCharacters += countCharacters(text);
  }

  /** Waits for what is under way: a book that is tried again must find it. */
  async close(): Promise<void> {
    await this.#last.catch(() => {});
    // A count that cannot be stored now is no reason to lose the work.
    await recordSent(this.#of.deps.db, this.#of.task.id, this.#sentCharacters).catch(() => {});
  }

  #inTurn(record: SavedRecord | undefined, alsoDo: (trx: Trx) => Promise<void>): Promise<void> {
    this.#last = this.#last.then(() => this.#write(record, alsoDo));
    return this.#last;
  }

  async #write(record: SavedRecord | undefined, alsoDo: (trx: Trx) => Promise<void>): Promise<void> {
    const { deps, task, attempt } = this.#of;
    const ready = this.#readyCharacters + readyCharactersOf(record === undefined ? [] : [record]);
    const share = Math.min(1, ready / task.charCount);
    const progress = ready === 0 ? 0 : translatingFrom + (translatingTo - translatingFrom) * share;
    const sentCharacters = this.#sentCharacters;
    this.#sentCharacters = 0;
    try {
      await deps.db.transaction().execute(async (trx) => {
        await saveRecord(trx, attempt, record, { progress, sentCharacters });
        await alsoDo(trx);
      });
    } catch (error) {
      this.#sentCharacters += sentCharacters;
      throw error;
    }
    this.#readyCharacters = ready;
  }
}

/** Tells of the chapters that are translated now, each once. @param key the segment that was saved just now, or any */
async function tellReady(trx: Trx, queue: EventQueue, task: Task, key: string | undefined): Promise<void> {
  for (const { index, characters } of await markReady(trx, task.id, key)) {
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
