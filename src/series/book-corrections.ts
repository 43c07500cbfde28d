/** Corrections of a delivered book, for the series that the book belongs to. */
import { countCharacters } from '../documents/document.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { Pauses } from '../pauses.ts';
import type { Trx } from '../platform/postgres.ts';
import { contextAt, correctedVariant, textKey } from '../translation/memory/block-keys.ts';
import type { NewMemory } from '../translation/memory/remember.ts';
import { correctedNames, type EditedParagraph } from './corrected-names.ts';
import { openMemory, rememberBlocks } from './memory-store.ts';
import { lockTermsVersion, putNames, readTerms } from './term-store.ts';

export interface BookParagraph extends EditedParagraph {
  /** By the corrections that are being saved. */
  changed: boolean;
}

/**
 * Each correction holds for its place, and where the paragraph stands between others it is preferred too. A series that is
 * gone learns nothing.
 * @param paragraphs the whole book
 */
export async function teachCorrections(
  trx: Trx,
  owner: { accountId: string; sandbox: boolean; seriesId: string },
  paragraphs: readonly BookParagraph[],
  sourceLang: string,
): Promise<void> {
  const { accountId, seriesId } = owner;
  if ((await lockTermsVersion(trx, accountId, seriesId)) === undefined) return;
  const memoryId = await openMemory(trx, owner);
  if (memoryId === undefined) return;
  await rememberBlocks(trx, memoryId, await memoriesOf(paragraphs), undefined);
  const terms = (await readTerms(trx, seriesId)).filter(({ origin }) => origin !== 'supplied');
  const names = await correctedNames(terms, paragraphs, sourceLang, { isWholeBook: true });
  await putNames(trx, seriesId, terms, names);
}

async function memoriesOf(paragraphs: readonly BookParagraph[]): Promise<NewMemory[]> {
  const sources = paragraphs.map(({ source }) => source);
  // The same paragraph between the same neighbours twice is one place.
  const memories = new Map<string, NewMemory>();
  const pauses = new Pauses();
  for (const [i, { source, after: target, changed }] of paragraphs.entries()) {
    const context = changed ? contextAt(sources, i) : undefined;
    if (context === undefined) continue;
    if (pauses.isDue) await pauses.take();
    const [text, characters] = [textKey(source), countCharacters(stripInlineTags(source))];
    memories.set(`${text} ${context}`, {
      text,
      context,
      variant: correctedVariant,
      grade: 'corrected',
      target,
      characters,
    });
  }
  return [...memories.values()];
}
