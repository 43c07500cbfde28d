/** Corrections of a delivered book, from an editor's file or from a program. */
import { AppError } from '../errors.ts';
import type { CorrectableBlock, MatchCounts } from '../interchange/match-corrections.ts';
import type { Trx } from '../platform/postgres.ts';
import type { StorageQuota } from '../tasks/storage-quota.ts';
import type { Task } from '../tasks/task.ts';
import { lockTask } from '../tasks/task-store.ts';
import type { Term } from '../term.ts';
import { saveApprovals } from './approval-store.ts';
import { type ReadingTerm, termOf } from './book-reading.ts';
import type { BookHost, PlacedText, SentCorrections } from './correction-jobs.ts';
import type { Asking, CorrectionReader } from './correction-reader.ts';
import { correctionsVersion, saveCorrections, saveTermFix } from './correction-store.ts';
import { learnFrom, learnTerm, rememberCorrections } from './learn-corrections.ts';
import { type BookDependencies, openBook, type ReadableBook, requireText, type ShownBlock } from './read-book.ts';
import type { Replacement } from './replace-term.ts';

export interface CorrectionDependencies extends BookDependencies {
  corrections: CorrectionReader;
  quota: StorageQuota;
}

/**
 * @param replaces a paragraph that somebody else has corrected too is corrected all the same
 * @throws BAD_REQUEST, PAYLOAD_TOO_LARGE, STORAGE_QUOTA, TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED, UNAVAILABLE
 */
export async function correctTask(
  deps: CorrectionDependencies,
  task: Task,
  { sent, replaces }: { sent: SentCorrections; replaces: boolean },
  asking: Asking,
): Promise<MatchCounts> {
  const book = await openBook(deps, task);
  return await deps.corrections.inTurn(asking, () =>
    untilSaved(deps, { task, book, asking }, (host) => {
      const job = { sent, replaces, ...jobOf(task, book) };
      const about = { ...asking, sentBytes: sent.body.byteLength, characters: book.characters };
      return deps.corrections.run('matchSentCorrections', job, { host }, about);
    }),
  );
}

/**
 * Writes one rendering of a name in place of another, wherever the name stands in the source, and in its entry. A series has it as
 * a corrected term from now on, if none of its other books has it otherwise. Returns the changed blocks.
 * @throws BAD_REQUEST, STORAGE_QUOTA, TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED, UNAVAILABLE
 */
export async function correctTerm(
  deps: CorrectionDependencies,
  task: Task,
  replacement: Replacement,
  asking: Asking,
): Promise<number> {
  const book = await openBook(deps, task);
  const term = book.index.terms.find(({ source }) => source === replacement.source);
  const forms = [replacement.source, ...(term?.aliases ?? [])];
  const fixed = term && { ...term, target: replacement.to };
  return await deps.corrections.inTurn(asking, async () => {
    const job = { replacement, forms, ...jobOf(task, book) };
    const about = { ...asking, characters: book.characters };
    const replace = (host: BookHost) => deps.corrections.run('replaceTermInBook', job, { host }, about);
    const changed = await untilSaved(deps, { task, book, asking }, replace, fixed);
    if (fixed !== undefined) await learnTerm(deps, task, decided(fixed), asking);
    return changed;
  });
}

function jobOf(task: Task, book: ReadableBook): { chapters: number; inSeries: boolean } {
  return { chapters: book.index.chapters.length, inSeries: task.seriesId !== undefined };
}

/** So often others may correct the same book while corrections are matched with it. */
const matchTries = 5;

/** What was matched with a book that others have corrected meanwhile is matched again. */
async function untilSaved<T>(
  deps: CorrectionDependencies,
  { task, book, asking }: { task: Task; book: ReadableBook; asking: Asking },
  match: (host: BookHost) => Promise<T>,
  fixed?: ReadingTerm,
): Promise<T> {
  for (let tries = 0; tries < matchTries; tries++) {
    const version = await correctionsVersion(deps.db, task.id);
    const texts: PlacedText[] = [];
    const approved: string[] = [];
    const host = {
      chapter: async (number: number) => (await book.chapter(number)).map(correctable),
      take: async (part: readonly PlacedText[]) => void texts.push(...part),
      approve: async (part: readonly string[]) => void approved.push(...part),
    };
    const result = await match(host);
    if (await save(deps, task, { texts, approved, fixed }, version)) {
      await learnFrom(deps, task, texts, book.index.sourceLang, asking);
      return result;
    }
  }
  throw new AppError('UNAVAILABLE', 'Others are correcting this book just now.', { retryAfterSeconds: 2 });
}

export function correctable({ id, source, target, machine = target }: Omit<ShownBlock, 'approved'>): CorrectableBlock {
  return { id, source, machine, target };
}

interface Changes {
  texts: readonly PlacedText[];
  /** Ids of paragraphs that were looked at and left as they are. */
  approved: readonly string[];
  fixed: ReadingTerm | undefined;
}

/** False when the corrections have changed since they were read. */
async function save(
  { db, quota }: CorrectionDependencies,
  task: Task,
  { texts, approved, fixed }: Changes,
  version: number,
): Promise<boolean> {
  if (texts.length === 0 && approved.length === 0 && fixed === undefined) return true;
  await quota.claim(
    task.accountId,
    texts.reduce((sum, { target }) => sum + Buffer.byteLength(target), 0),
  );
  return await db.transaction().execute(async (trx) => {
    requireText(await lockTask(trx, task.id));
    if ((await correctionsVersion(trx, task.id)) !== version) return false;
    await saveTexts(trx, task, texts);
    await saveApprovals(trx, task.id, approved);
    if (fixed !== undefined) await saveTermFix(trx, task.id, fixed);
    return true;
  });
}

/** With what the book's series learns. The caller has locked the task, which keeps a purge from passing between. */
export async function saveTexts(trx: Trx, task: Task, texts: readonly PlacedText[]): Promise<void> {
  if (texts.length === 0) return;
  await saveCorrections(trx, task.id, texts);
  await rememberCorrections(trx, task, texts);
}

/** The entry of the reader as a term that a person decided on. */
function decided(entry: ReadingTerm): Term {
  return { ...termOf(entry), confidence: 1, origin: 'supplied' };
}
