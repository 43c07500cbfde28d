/**
 * What a series learns from corrections: the paragraphs, and names that are corrected in every book of the series. It has to be every
 * book, because a term redoes each paragraph that has it. Where all of them are corrected there is nothing left to redo, and nothing
 * to pay.
 */
import { stripInlineTags } from '../inline-tags.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Trx } from '../platform/postgres.ts';
import { type TaughtText, teachCorrections } from '../series/book-corrections.ts';
import { type CorrectedName, type EditedParagraph, renamedTerms } from '../series/corrected-names.ts';
import { correctedAt, findMemory } from '../series/memory-store.ts';
import { termRows } from '../series/term-rows.ts';
import { lockTermsVersion, putNames, putTerms, readTerms, type SeriesTerm } from '../series/term-store.ts';
import { sourceLangOf, type Task } from '../tasks/task.ts';
import { findTask } from '../tasks/task-store.ts';
import type { Term } from '../term.ts';
import type { NamePlace } from './correction-jobs.ts';
import type { Asking, CorrectionReader } from './correction-reader.ts';
import { type BookDependencies, openBook, type ReadableBook } from './read-book.ts';
import { removedBooks, seriesBooks } from './series-book-store.ts';

export interface LearningDependencies extends BookDependencies {
  corrections: CorrectionReader;
}

/** The series of a task, as its owner has it. */
export interface SeriesOwner extends Owner {
  seriesId: string;
}

function seriesOf({ accountId, sandbox, seriesId }: Task): SeriesOwner | undefined {
  return seriesId === undefined ? undefined : { accountId, sandbox, seriesId };
}

/** In the transaction that saves them. */
export async function rememberCorrections(trx: Trx, task: Task, texts: readonly TaughtText[]): Promise<void> {
  const owner = seriesOf(task);
  if (owner !== undefined) await teachCorrections(trx, owner, texts);
}

/** Names that a book's corrections have changed. */
export async function learnFrom(
  deps: LearningDependencies,
  task: Task,
  texts: readonly EditedParagraph[],
  language: string,
  asking: Asking,
): Promise<void> {
  const owner = seriesOf(task);
  if (owner !== undefined && texts.length > 0) await learnNames(deps, owner, texts, language, asking);
}

/** A series of more books is not looked through for a name: its terms are for people to set. */
const maxBooks = 100;
/** A name that is dropped may have hidden a shorter one inside it, which is then looked for again. */
const maxRounds = 4;

/** Names that some paragraphs were just changed by. Returns those that are terms now. */
export async function learnNames(
  deps: LearningDependencies,
  owner: SeriesOwner,
  edited: readonly EditedParagraph[],
  language: string,
  asking: Asking,
): Promise<CorrectedName[]> {
  const { accountId, seriesId } = owner;
  const terms = (await readTerms(deps.db, seriesId)).filter(({ origin }) => origin !== 'supplied');
  const renamed = await renamedTerms(terms, edited, language);
  const names = await correctedInEveryBook(deps, owner, renamed, language, asking);
  if (names.length === 0) return [];
  return await deps.db.transaction().execute(async (trx) => {
    if ((await lockTermsVersion(trx, accountId, seriesId)) === undefined) return [];
    await putNames(trx, seriesId, terms, names);
    return names;
  });
}

/** A term that a person has set for a whole book is one of its series, if no other book has it otherwise. */
export async function learnTerm(deps: LearningDependencies, task: Task, term: Term, asking: Asking): Promise<void> {
  const owner = seriesOf(task);
  if (owner === undefined) return;
  const { db } = deps;
  const known = (await readTerms(db, owner.seriesId)).find(({ source }) => source === term.source);
  const named = { ...term, origin: 'extracted' as const, firstTaskId: known?.firstTaskId };
  const language = sourceLangOf(task) ?? 'und';
  const names = await correctedInEveryBook(deps, owner, new Map([[named, term.target]]), language, asking, task);
  if (names.length === 0) return;
  await db.transaction().execute(async (trx) => {
    if ((await lockTermsVersion(trx, owner.accountId, owner.seriesId)) === undefined) return;
    await putTerms(trx, owner.seriesId, termRows([term], 'corrected'));
  });
}

/** @param except the book that was corrected, if all that was to correct in it is corrected */
async function correctedInEveryBook(
  deps: LearningDependencies,
  owner: SeriesOwner,
  renamed: ReadonlyMap<SeriesTerm, string>,
  language: string,
  asking: Asking,
  except?: Task,
): Promise<CorrectedName[]> {
  const memory = renamed.size === 0 ? undefined : await findMemory(deps.db, owner);
  if (memory === undefined) return [];
  const removed = await removedBooks(
    deps.db,
    [...renamed.keys()].flatMap(({ firstTaskId = [] }) => firstTaskId),
  );
  let names = [...renamed].filter(([{ firstTaskId = '' }]) => !removed.has(firstTaskId));
  const books = await seriesBooks(deps.db, owner, owner.seriesId, maxBooks + 1);
  if (books.length > maxBooks) return [];
  const others = books.filter(({ sourceSha256 }) => sourceSha256 !== except?.sourceSha256);
  for (let round = 0; names.length > 0 && round < maxRounds; round++) {
    const kept = await keptIn(deps, memory.id, others, names, { owner, language, asking });
    if (kept.length === names.length) return kept.map(([{ source }, target]) => ({ source, target })).sort(bySource);
    names = kept;
  }
  return [];
}

type Renamed = [term: SeriesTerm, rendering: string];

async function keptIn(
  deps: LearningDependencies,
  memoryId: number,
  books: readonly { taskId: string }[],
  names: readonly Renamed[],
  { owner, language, asking }: { owner: SeriesOwner; language: string; asking: Asking },
): Promise<Renamed[]> {
  const otherwise = new Set<number>();
  for (const { taskId } of books) {
    if (otherwise.size === names.length) break;
    const book = await openBook(deps, await findTask(deps.db, owner, taskId));
    const places = await namesIn(deps, book, names, language, asking);
    const corrected = await correctedAt(deps.db, memoryId, places);
    for (const [i, { isKnown, correction }] of corrected.entries()) {
      const name = places[i]?.name ?? 0;
      const rendering = names[name]?.[1] ?? '';
      if (isKnown && !(correction !== undefined && stripInlineTags(correction).includes(rendering)))
        otherwise.add(name);
    }
  }
  return names.filter((_name, i) => !otherwise.has(i));
}

async function namesIn(
  { corrections }: LearningDependencies,
  book: ReadableBook,
  names: readonly Renamed[],
  language: string,
  asking: Asking,
): Promise<NamePlace[]> {
  const host = {
    sources: async (chapter: number) => (await book.translated(chapter)).map(({ source }) => source),
  };
  const job = { chapters: book.index.chapters.length, names: names.map(([term]) => term), language };
  return await corrections.run('findNames', job, { host }, { ...asking, characters: book.characters });
}

function bySource(one: CorrectedName, other: CorrectedName): number {
  return one.source < other.source ? -1 : 1;
}
