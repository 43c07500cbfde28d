/**
 * What a book's own process asks of the worker: engines, checkpoints, what the partner sees. The worker alone holds the
 * lease, the database and the keys of engines; the book's process has the text and does all work on it. Everything that
 * crosses is plain data, and records of the checkpoint cross as JSON text, so that the worker never parses them.
 */
import type { EngineCatalog } from '../engines/catalog.ts';
import { EngineError } from '../engines/engine-error.ts';
import type { Term } from '../term.ts';
import type { PlannedChapter } from '../translation/chapters.ts';
import type { BlockPlace } from '../translation/memory/block-keys.ts';
import type { NewMemory } from '../translation/memory/remember.ts';
import type { SeriesState } from '../translation/memory/series-terms.ts';
import type { BookLanguages, FoundBook } from './book-languages.ts';
import type { MemoryHost, PairEngines } from './task-memory.ts';
import type { WrittenFile } from './write-files.ts';

export interface BookHost extends MemoryHost {
  /** Shown at the next poll. */
  stage(stage: 'preparing' | 'translating' | 'finalizing'): Promise<void>;
  /** Which share of the text has been analysed, for the progress that is shown. */
  analysed(share: number): Promise<void>;
  /** Decides from which language into which, and ends the task when there is nothing to translate. */
  begin(found: FoundBook): Promise<BookStart>;
  ask<K extends EngineCall>(question: EngineQuestion<K>, signal: AbortSignal): Promise<EngineAnswer<EngineResult<K>>>;
  /** One page of saved records; `after` is the `next` of the page before. */
  loadRecords(after: string | undefined): Promise<RecordPage>;
  /** In the order in which they come. */
  saveRecord(record: SavedRecord): Promise<void>;
  /** What the book is made of, before anything of it is translated; `last` with the last part. */
  saveChapters(part: { chapters: readonly PlannedChapter[]; last: boolean }): Promise<void>;
  /** Undefined for a task outside of series. */
  series(): Promise<SeriesState | undefined>;
  /** Saves the frozen terms and adds them to the series; answers with the series when its terms have changed meanwhile. */
  freezeTerms(frozen: FrozenTerms): Promise<SeriesState | undefined>;
  /** What later tasks may take over, in parts; written when the task completes. */
  remember(part: readonly NewMemory[]): Promise<void>;
  /** Remembered places that are paid for once more; in parts, only where `BookStart.paysAgain`. */
  payFor(places: readonly BlockPlace[]): Promise<void>;
  /** A file of the finished book is in the folder. Others are still being made. */
  store(file: WrittenFile): Promise<void>;
}

/** What engines are asked for: the method of the catalog that answers. */
export type EngineCall = 'translate' | 'extractTerms' | 'writeSheet' | 'edit';
export type EngineRequest<K extends EngineCall = EngineCall> = Parameters<EngineCatalog[K]>[0];
export type EngineResult<K extends EngineCall> = Awaited<ReturnType<EngineCatalog[K]>>;

export interface EngineQuestion<K extends EngineCall> {
  kind: K;
  request: EngineRequest<K>;
  /** Left out, or 0: the first engine, which may fail over to the others. Any other index asks exactly that engine. */
  engineIndex?: number;
}

/** What the process asks for that writes down what is finished of a cancelled task. */
export interface FinishedHost extends Pick<BookHost, 'loadRecords' | 'store' | 'remember'> {
  /** Some chapters as they were packed, from an index on; none at the end. */
  loadChapters(from: number): Promise<Uint8Array[]>;
}

/** Everything in one answer: a short task notices every question that it asks. */
export interface BookStart {
  languages: BookLanguages;
  engines: PairEngines;
  /** Undefined for a task outside of series. */
  series: SeriesState | undefined;
  /** A preview: what it pays for is credited to the whole book, also where the words come from an earlier task. */
  paysAgain: boolean;
}

export interface RecordPage {
  records: string[];
  next: string | undefined;
}

export interface SavedRecord {
  kind: string;
  key: string;
  /** Characters of the text that the record stands for, for the price and the progress. */
  characters: number;
  /** The part of them that is not charged. */
  paidCharacters: number;
  json: string;
}

export interface FrozenTerms {
  /** Of the series' terms that they were settled with. */
  version: number;
  terms: readonly Term[];
  record: SavedRecord;
}

/** An engine's fault is an answer like another: the book's process decides what follows from it. */
export type EngineAnswer<T> = { result: T } | { fault: EngineFault };
type EngineFault = Pick<EngineError, 'kind' | 'message' | 'retryAfterMs' | 'status' | 'engine'>;

/** The worker's side. @throws anything but EngineError */
export async function answerOf<T>(call: Promise<T>): Promise<EngineAnswer<T>> {
  try {
    return { result: await call };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const { kind, message, retryAfterMs, status, engine } = error;
    return { fault: { kind, message, retryAfterMs, status, engine } };
  }
}

/** The book's side. @throws EngineError */
export async function resultOf<T>(call: Promise<EngineAnswer<T>>): Promise<T> {
  const answer = await call;
  if ('result' in answer) return answer.result;
  const { kind, message, retryAfterMs, status, engine } = answer.fault;
  const error = new EngineError(kind, message, { retryAfterMs, status });
  error.engine = engine;
  throw error;
}
