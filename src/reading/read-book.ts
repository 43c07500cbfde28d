/** A finished translation as it can be read: its index, its chapters, and the corrections laid over them. */

import { AppError } from '../errors.ts';
import type { Platform } from '../platform/platform.ts';
import { type Storage, StorageMissing } from '../platform/storage/storage.ts';
import type { Status } from '../tasks/states.ts';
import { filesAreToCome, type Task, type TaskOutput } from '../tasks/task.ts';
import { readOutputs } from '../tasks/task-store.ts';
import { approvedBlocks } from './approval-store.ts';
import type { ReadingBlock, ReadingIndex, ReadingTerm } from './book-reading.ts';
import { readCorrections, readTermFixes } from './correction-store.ts';

export type BookDependencies = Pick<Platform, 'db' | 'storage'>;

export interface ShownBlock extends ReadingBlock {
  /** Set where a person changed the translation; `target` is then theirs, and `machine` what was translated. */
  corrected: boolean;
  machine?: string;
  /** An editor has looked at it and left it as it is. */
  approved: boolean;
}

export class ReadableBook {
  readonly taskId: string;
  readonly index: ReadingIndex;
  readonly #deps: BookDependencies;
  readonly #chapters: TaskOutput;

  constructor(deps: BookDependencies, taskId: string, index: ReadingIndex, chapters: TaskOutput) {
    this.taskId = taskId;
    this.index = index;
    this.#deps = deps;
    this.#chapters = chapters;
  }

  /** With its corrections as they are now. @throws NOT_FOUND, OUTPUT_EXPIRED */
  async chapter(number: number): Promise<ShownBlock[]> {
    const blocks = await this.translated(number);
    const ids = blocks.map(({ id }) => id);
    const corrections = await readCorrections(this.#deps.db, this.taskId, ids);
    const approved = await approvedBlocks(this.#deps.db, this.taskId, ids);
    return blocks.map((block) => ({
      ...shownBlock(block, corrections.get(block.id)),
      approved: approved.has(block.id),
    }));
  }

  /** As the machine left it. @throws NOT_FOUND, OUTPUT_EXPIRED */
  async translated(number: number): Promise<ReadingBlock[]> {
    const chapter = this.index.chapters[number];
    if (!chapter) throw new AppError('NOT_FOUND', 'There is no such chapter.');
    if (chapter.length === 0) return [];
    const range = { start: chapter.offset, end: chapter.offset + chapter.length - 1 };
    return JSON.parse(await textOf(this.#deps.storage, this.#chapters.storageKey, range)) as ReadingBlock[];
  }

  /** The number of the chapter that has a block, if the book has it. */
  chapterOf(blockId: string): number | undefined {
    const number = /^b\d{1,9}$/.test(blockId) ? Number(blockId.slice(1)) : Number.NaN;
    const at = this.index.chapters.findIndex(
      ({ firstBlock, marks }) => number >= firstBlock && number < firstBlock + marks.length,
    );
    return at < 0 ? undefined : at;
  }

  get characters(): number {
    return this.index.chapters.reduce((sum, { characters }) => sum + characters, 0);
  }

  /** One after the other, so that a long book is never in memory as a whole. */
  async *blocks(): AsyncGenerator<{ chapter: number; block: ShownBlock }> {
    for (const chapter of this.index.chapters.keys())
      for (const block of await this.chapter(chapter)) yield { chapter, block };
  }
}

export function shownBlock(block: ReadingBlock, correction: string | undefined): Omit<ShownBlock, 'approved'> {
  if (correction === undefined) return { ...block, corrected: false };
  return { ...block, target: correction, corrected: true, machine: block.target };
}

const noBook: Record<Status, string> = {
  pending: 'The task is not finished yet.',
  completed: 'This task has no book that could be read.',
  failed: 'The translation failed, so there is no book to read.',
  cancelled: 'The translation was cancelled before anything of it was finished.',
};

/** @throws OUTPUT_EXPIRED */
export function requireText({ purgedAt }: Task): void {
  if (purgedAt) throw new AppError('OUTPUT_EXPIRED', 'The text of this task was removed.');
}

/** @throws TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED */
export async function openBook({ db, storage }: BookDependencies, task: Task): Promise<ReadableBook> {
  requireText(task);
  if (filesAreToCome(task))
    throw new AppError('TASK_NOT_READY', 'The task is not finished yet.', { retryAfterSeconds: 5 });
  const outputs = await readOutputs(db, task.id);
  const find = (fileId: string) => outputs.find((output) => output.fileId === fileId);
  const [index, chapters] = [find('reading_index'), find('reading')];
  if (!index || !chapters) throw new AppError('TASK_NOT_DOWNLOADABLE', noBook[task.status]);
  const read = JSON.parse(await textOf(storage, index.storageKey)) as ReadingIndex;
  const fixes = await readTermFixes(db, task.id);
  const terms = read.terms.map((term) => fixedTerm(term, fixes.get(term.source)));
  return new ReadableBook({ db, storage }, task.id, { ...read, terms }, chapters);
}

/** What a person decided on is certain. Books of earlier versions do not say where a term is from. */
function fixedTerm(term: ReadingTerm, target: string | undefined): ReadingTerm {
  if (target !== undefined) return { ...term, target, confidence: 1, origin: 'supplied' };
  return { ...term, confidence: term.confidence ?? 1, origin: term.origin ?? 'extracted' };
}

async function textOf(storage: Storage, key: string, range?: { start: number; end: number }): Promise<string> {
  try {
    const { body } = await storage.get(key, range ? { range } : {});
    const pieces: Buffer[] = [];
    for await (const piece of body) pieces.push(piece as Buffer);
    return Buffer.concat(pieces).toString('utf8');
  } catch (error) {
    if (error instanceof StorageMissing)
      throw new AppError('OUTPUT_EXPIRED', 'The file was removed.', { cause: error });
    throw error;
  }
}
