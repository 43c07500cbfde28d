/** Corrections of a delivered book, for the series that the book belongs to. */
import { countCharacters } from '../documents/document.ts';
import { stripInlineTags } from '../inline-tags.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Trx } from '../platform/postgres.ts';
import { anyContext, correctedVariant, textKey } from '../translation/memory/block-keys.ts';
import type { NewMemory } from '../translation/memory/remember.ts';
import { correctedBytes, countCorrections, forgetCorrections, openMemory, rememberBlocks } from './memory-store.ts';
import { lockTermsVersion } from './term-store.ts';

export interface TaughtText {
  source: string;
  target: string;
  /** Between which neighbours it stands; undefined for a paragraph without words, which is not remembered. */
  context: number | undefined;
  /** It holds wherever the text stands. */
  isOfText: boolean;
}

/**
 * A correction of one paragraph holds for its place, and where the paragraph stands between others it is preferred too. One of a text
 * is remembered once, however often it occurs. A series that is gone learns nothing.
 */
export async function teachCorrections(
  trx: Trx,
  owner: Owner & { seriesId: string },
  texts: readonly TaughtText[],
): Promise<void> {
  if ((await lockTermsVersion(trx, owner.accountId, owner.seriesId)) === undefined) return;
  const memoryId = await openMemory(trx, owner);
  if (memoryId === undefined) return;
  await writeCorrections(trx, memoryId, memoriesOf(texts));
}

/** Said for every place, a correction takes back what was said for single ones. The caller has locked the memory. */
export async function writeCorrections(trx: Trx, memoryId: number, taken: readonly NewMemory[]): Promise<void> {
  const texts = taken.map(({ text }) => text);
  const earlierBytes = await correctedBytes(trx, memoryId, texts);
  await forgetCorrections(
    trx,
    memoryId,
    taken.filter(({ context }) => context === anyContext),
  );
  await rememberBlocks(trx, memoryId, taken, undefined);
  await countCorrections(trx, memoryId, (await correctedBytes(trx, memoryId, texts)) - earlierBytes);
}

function memoriesOf(texts: readonly TaughtText[]): NewMemory[] {
  // The same paragraph between the same neighbours twice is one place.
  const memories = new Map<string, NewMemory>();
  for (const { source, target, context, isOfText } of texts) {
    const place = isOfText ? anyContext : context;
    if (place === undefined) continue;
    const memory = correctedMemory(source, target, place);
    memories.set(`${memory.text} ${place}`, memory);
  }
  return [...memories.values()];
}

export function correctedMemory(source: string, target: string, context: number): NewMemory {
  const characters = countCharacters(stripInlineTags(source));
  return { text: textKey(source), context, variant: correctedVariant, grade: 'corrected', target, characters };
}
