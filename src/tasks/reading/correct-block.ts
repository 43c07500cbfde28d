/** One paragraph of a delivered book, corrected in the reader: it changes the paragraph that it names, and no other. */
import { exportedHash } from '../../correction.ts';
import { AppError } from '../../errors.ts';
import { type MatchCounts, matchCorrections } from '../../interchange/match-corrections.ts';
import { contextAt } from '../../translation/memory/block-keys.ts';
import { hasTranslatableWords } from '../../translation/plan/units.ts';
import type { Asking } from '../correction-reader.ts';
import type { Task } from '../task.ts';
import { lockTask } from '../task-store.ts';
import type { ReadingBlock } from './book-reading.ts';
import { type CorrectionDependencies, correctable, saveTexts } from './correct-task.ts';
import { readCorrections, removeCorrection } from './correction-store.ts';
import { learnFrom, rememberCorrections } from './learn-corrections.ts';
import { openBook, type ReadableBook, shownBlock } from './read-book.ts';

export interface BlockCorrection {
  blockId: string;
  source: string;
  target: string;
  /** What the editor saw before; undefined for what is there now. */
  before: string | undefined;
}

/** @throws BAD_REQUEST, STORAGE_QUOTA, TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED, UNAVAILABLE */
export async function correctBlock(
  deps: CorrectionDependencies,
  task: Task,
  { blockId, source, target, before }: BlockCorrection,
  asking: Asking,
): Promise<MatchCounts> {
  const book = await openBook(deps, task);
  const place = await placeOf(book, task, blockId);
  await deps.quota.claim(task.accountId, Buffer.byteLength(target));
  const { texts, counts } = await deps.db.transaction().execute(async (trx) => {
    const { purgedAt } = await lockTask(trx, task.id);
    if (purgedAt) throw new AppError('OUTPUT_EXPIRED', 'The text of this task was removed.');
    const correction = (await readCorrections(trx, task.id, [blockId])).get(blockId);
    const blocks = place ? [correctable(shownBlock(place.block, correction))] : [];
    const exported = exportedHash(before ?? blocks[0]?.target ?? '');
    const unit = { id: blockId, source, target, exported };
    const matched = matchCorrections([unit], blocks, { isFile: false, replaces: false });
    const placed = matched.texts.map((text) => ({ ...text, context: place?.context }));
    if (placed.length > 0 && target === place?.block.target) {
      await removeCorrection(trx, task.id, blockId);
      await rememberCorrections(trx, task, placed);
    } else await saveTexts(trx, task, placed);
    return { texts: placed, counts: matched.counts };
  });
  await learnFrom(deps, task, texts, book.index.sourceLang, asking);
  return counts;
}

async function placeOf(
  book: ReadableBook,
  task: Task,
  blockId: string,
): Promise<{ block: ReadingBlock; context: number | undefined } | undefined> {
  const chapter = book.chapterOf(blockId);
  if (chapter === undefined) return undefined;
  const blocks = await book.translated(chapter);
  const at = blocks.findIndex(({ id }) => id === blockId);
  const block = blocks[at];
  if (block === undefined) return undefined;
  return { block, context: task.seriesId === undefined ? undefined : await contextOf(book, chapter, blocks, at) };
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
