/** Corrections of a delivered book, from an editor's file, from a program or from the reader. */
import { isTooLong, tooLong } from '../../correction.ts';
import type { EditedUnit } from '../../interchange/edited-unit.ts';
import { type Correction, type MatchedCorrections, matchCorrections } from '../../interchange/match-corrections.ts';
import { Pauses } from '../../pauses.ts';
import type { Db } from '../../platform/postgres.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { teachCorrections } from '../../series/book-corrections.ts';
import { termRows } from '../../series/term-rows.ts';
import { lockTermsVersion, putTerms } from '../../series/term-store.ts';
import type { Term } from '../../term.ts';
import type { Task } from '../task.ts';
import { lockTask } from '../task-store.ts';
import { type ReadingTerm, termOf } from './book-reading.ts';
import { saveCorrections, saveTermFix } from './correction-store.ts';
import { openBook, type ReadableBook, type ShownBlock } from './read-book.ts';
import { escapedForm, type Replacement, replacedIn } from './replace-term.ts';

export interface CorrectionDependencies {
  db: Db;
  storage: Storage;
}

/** @throws BAD_REQUEST, TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED */
export async function correctTask(
  deps: CorrectionDependencies,
  task: Task,
  units: readonly EditedUnit[],
): Promise<MatchedCorrections> {
  const book = await openBook(deps, task);
  const blocks = await allBlocks(book);
  const matched = await matchCorrections(units, blocks);
  await save(deps, task, book, blocks, matched.taken);
  return matched;
}

type CorrectableBlock = Pick<ShownBlock, 'id' | 'source' | 'target' | 'corrected'>;

async function allBlocks(book: ReadableBook): Promise<CorrectableBlock[]> {
  const blocks: CorrectableBlock[] = [];
  for await (const { block } of book.blocks()) {
    const { id, source, target, corrected } = block;
    blocks.push({ id, source, target, corrected });
  }
  return blocks;
}

/**
 * Writes one rendering of a name in place of another, wherever the name stands in the source, and in its entry; a series has it as
 * a corrected term from now on. Returns the changed blocks.
 * @throws BAD_REQUEST, TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED
 */
export async function correctTerm(deps: CorrectionDependencies, task: Task, replacement: Replacement): Promise<number> {
  const book = await openBook(deps, task);
  const term = book.index.terms.find(({ source }) => source === replacement.source);
  const sources = [replacement.source, ...(term?.aliases ?? [])].map(escapedForm);
  const blocks = await allBlocks(book);
  const corrections: Correction[] = [];
  const pauses = new Pauses();
  for (const block of blocks) {
    if (pauses.isDue) await pauses.take();
    if (!sources.some((form) => form.test(block.source))) continue;
    const target = replacedIn(block.target, replacement);
    if (target === block.target) continue;
    if (isTooLong(target, block.source)) throw tooLong(block.id, block.source);
    corrections.push({ blockId: block.id, source: block.source, target });
  }
  await save(deps, task, book, blocks, corrections, term && { ...term, target: replacement.to });
  return corrections.length;
}

/** The lock keeps a purge from passing between the look and the write. What the book's series learns is written with it. */
async function save(
  { db }: CorrectionDependencies,
  task: Task,
  { index }: ReadableBook,
  blocks: readonly CorrectableBlock[],
  corrections: readonly Correction[],
  fixed?: ReadingTerm,
): Promise<void> {
  if (corrections.length === 0 && fixed === undefined) return;
  await db.transaction().execute(async (trx) => {
    const { purgedAt, seriesId, accountId, sandbox } = await lockTask(trx, task.id);
    if (purgedAt) return;
    await saveCorrections(trx, task.id, corrections);
    if (fixed !== undefined) await saveTermFix(trx, task.id, fixed);
    if (seriesId === undefined) return;
    const targets = new Map(corrections.map(({ blockId, target }) => [blockId, target]));
    const paragraphs = blocks.map(({ id, source, target, corrected }) => {
      const changed = targets.has(id);
      return { source, before: [target], after: targets.get(id) ?? target, corrected: corrected || changed, changed };
    });
    await teachCorrections(trx, { accountId, sandbox, seriesId }, paragraphs, index.sourceLang);
    if (fixed !== undefined && (await lockTermsVersion(trx, accountId, seriesId)) !== undefined)
      await putTerms(trx, seriesId, termRows([decided(fixed)], 'corrected'));
  });
}

/** The entry of the reader as a term that a person decided on. */
function decided(entry: ReadingTerm): Term {
  return { ...termOf(entry), confidence: 1, origin: 'supplied' };
}
