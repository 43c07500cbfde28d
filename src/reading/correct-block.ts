/** One paragraph of a delivered book, corrected or approved in the reader: that changes the paragraph it names, and no other. */
import { exportedHash } from '../correction.ts';
import { AppError } from '../errors.ts';
import { type CorrectableBlock, type MatchCounts, matchCorrections } from '../interchange/match-corrections.ts';
import type { Trx } from '../platform/postgres.ts';
import type { Task } from '../tasks/task.ts';
import { lockTask } from '../tasks/task-store.ts';
import { contextAt } from '../translation/memory/block-keys.ts';
import { hasTranslatableWords } from '../translation/plan/units.ts';
import { removeApproval, saveApprovals } from './approval-store.ts';
import type { ReadingBlock } from './book-reading.ts';
import { type CorrectionDependencies, correctable, saveTexts } from './correct-task.ts';
import type { PlacedText } from './correction-jobs.ts';
import type { Asking } from './correction-reader.ts';
import { type EarlierText, readCorrections, readHistory, removeCorrection } from './correction-store.ts';
import { learnFrom, rememberCorrections } from './learn-corrections.ts';
import { type BookDependencies, openBook, type ReadableBook, requireText, shownBlock } from './read-book.ts';

export interface BlockCorrection {
  blockId: string;
  source: string;
  target: string;
  /** What the editor saw before; undefined for what is there now. */
  before: string | undefined;
}

/** @throws BAD_REQUEST, CHANGED_MEANWHILE, STORAGE_QUOTA, TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED, UNAVAILABLE */
export async function correctBlock(
  deps: CorrectionDependencies,
  task: Task,
  { blockId, source, target, before }: BlockCorrection,
  asking: Asking,
): Promise<MatchCounts> {
  const { book, place } = await findBlock(deps, task, blockId);
  await deps.quota.claim(task.accountId, Buffer.byteLength(target));
  const { texts, counts } = await changed(deps, task, place, async (trx, block) => {
    const exported = exportedHash(before ?? block?.target ?? '');
    const units = [{ id: blockId, source, target, exported }];
    const matched = matchCorrections(units, block ? [block] : [], { isFile: false, replaces: false });
    if (matched.counts.conflicting > 0)
      throw new AppError('CHANGED_MEANWHILE', 'Somebody else has corrected this paragraph meanwhile.', {
        details: { block_id: blockId, current: block?.target },
      });
    const placed = matched.texts.map((text) => ({ ...text, context: place?.context }));
    if (placed.length > 0 && target === place?.block.target) await restore(trx, task, placed);
    else await saveTexts(trx, task, placed);
    return { texts: placed, counts: matched.counts };
  });
  await learnFrom(deps, task, texts, book.index.sourceLang, asking);
  return counts;
}

/** The paragraph says what the machine made of it. @throws NOT_FOUND, TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED */
export async function restoreBlock(deps: BookDependencies, task: Task, blockId: string): Promise<BlockHistory> {
  const { place } = await findBlock(deps, task, blockId);
  if (place === undefined) throw noBlock();
  await changed(deps, task, place, async (trx, block) => {
    if (block === undefined || block.target === block.machine) return;
    const { source, machine: target, target: now } = block;
    const text = { source, target, before: [now], blockIds: [blockId], isOfText: false, context: place.context };
    await restore(trx, task, [text]);
  });
  return await historyOf(deps, task, blockId);
}

export interface BlockHistory extends CorrectableBlock {
  /** The latest first. */
  earlier: EarlierText[];
}

/** @throws NOT_FOUND, TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED */
export async function historyOf(deps: BookDependencies, task: Task, blockId: string): Promise<BlockHistory> {
  const { place } = await findBlock(deps, task, blockId);
  if (place === undefined) throw noBlock();
  const correction = (await readCorrections(deps.db, task.id, [blockId])).get(blockId);
  return {
    ...correctable(shownBlock(place.block, correction)),
    earlier: await readHistory(deps.db, task.id, blockId),
  };
}

/** An editor has looked at a paragraph and leaves it as it is, or takes that back. @throws NOT_FOUND, OUTPUT_EXPIRED */
export async function approveBlock(
  deps: BookDependencies,
  task: Task,
  { blockId, approved }: { blockId: string; approved: boolean },
): Promise<void> {
  const book = await openBook(deps, task);
  if (book.chapterOf(blockId) === undefined) throw noBlock();
  await deps.db.transaction().execute(async (trx) => {
    requireText(await lockTask(trx, task.id));
    if (approved) await saveApprovals(trx, task.id, [blockId]);
    else await removeApproval(trx, task.id, blockId);
  });
}

function noBlock(): AppError {
  return new AppError('NOT_FOUND', 'The book has no such paragraph.');
}

/** Under the lock that keeps others from changing it, and a purge from passing between. */
async function changed<T>(
  { db }: BookDependencies,
  task: Task,
  place: BlockPlace | undefined,
  change: (trx: Trx, block: CorrectableBlock | undefined) => Promise<T>,
): Promise<T> {
  return await db.transaction().execute(async (trx) => {
    requireText(await lockTask(trx, task.id));
    if (place === undefined) return await change(trx, undefined);
    const { block } = place;
    const correction = (await readCorrections(trx, task.id, [block.id])).get(block.id);
    return await change(trx, correctable(shownBlock(block, correction)));
  });
}

/** To a series the machine's words are a person's from now on: they stay whatever its terms say. */
async function restore(trx: Trx, task: Task, texts: readonly PlacedText[]): Promise<void> {
  for (const id of texts.flatMap(({ blockIds }) => blockIds)) await removeCorrection(trx, task.id, id);
  await rememberCorrections(trx, task, texts);
}

interface BlockPlace {
  block: ReadingBlock;
  context: number | undefined;
}

async function findBlock(
  deps: BookDependencies,
  task: Task,
  blockId: string,
): Promise<{ book: ReadableBook; place: BlockPlace | undefined }> {
  const book = await openBook(deps, task);
  const chapter = book.chapterOf(blockId) ?? -1;
  const blocks = chapter < 0 ? [] : await book.translated(chapter);
  const at = blocks.findIndex(({ id }) => id === blockId);
  const block = blocks[at];
  if (block === undefined) return { book, place: undefined };
  const context = task.seriesId === undefined ? undefined : await contextOf(book, chapter, blocks, at);
  return { book, place: { block, context } };
}

/** Its neighbours may stand in the chapters beside it. */
async function contextOf(
  book: ReadableBook,
  chapter: number,
  blocks: readonly ReadingBlock[],
  at: number,
): Promise<number | undefined> {
  const sourcesOf = async (number: number) => (await book.translated(number)).map(({ source }) => source);
  const sources = blocks.map(({ source }) => source);
  let before = sources.slice(0, at);
  let after = sources.slice(at + 1);
  for (let number = chapter - 1; number >= 0 && !before.some(hasTranslatableWords); number--)
    before = [...(await sourcesOf(number)), ...before];
  for (let number = chapter + 1; number < book.index.chapters.length && !after.some(hasTranslatableWords); number++)
    after = [...after, ...(await sourcesOf(number))];
  return contextAt([...before, sources[at] ?? '', ...after], before.length);
}
