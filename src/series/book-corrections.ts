/** Corrections of a delivered book, for the series that the book belongs to. */
import { countCharacters } from '../documents/document.ts';
import { stripInlineTags } from '../inline-tags.ts';
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
  await rememberBlocks(trx, memoryId, memoriesOf(paragraphs), undefined);
  const terms = (await readTerms(trx, seriesId)).filter(({ origin }) => origin !== 'supplied');
  const names = await correctedNames(terms, paragraphs, sourceLang, { isWholeBook: true });
  await putNames(trx, seriesId, terms, names);
}

function memoriesOf(paragraphs: readonly BookParagraph[]): NewMemory[] {
  const sources = paragraphs.map(({ source }) => source);
  const memories = paragraphs.flatMap(({ source, after, changed }, i): NewMemory[] => {
    const context = changed ? contextAt(sources, i) : undefined;
    if (context === undefined) return [];
    const characters = countCharacters(stripInlineTags(source));
    return [
      { text: textKey(source), context, variant: correctedVariant, grade: 'corrected', target: after, characters },
    ];
  });
  // The same paragraph between the same neighbours twice is one place.
  return [...new Map(memories.map((memory) => [`${memory.text} ${memory.context}`, memory])).values()];
}
