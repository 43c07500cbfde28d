import type { Document } from '../../documents/document.ts';
import { hasTranslatableWords } from '../plan/units.ts';

/** What of a book costs nothing because it is remembered, in characters. */
export interface Reused {
  /** All of it. */
  characters: number;
  /** In remembered blocks alone. */
  inBlocks: number;
  /** Blocks without letters whose neighbours are all remembered. */
  keptBlocks: ReadonlySet<string>;
  /** White space and separators of plain text, by the share of remembered blocks. */
  between: number;
}

/** @param isFree remembered, and not to be charged again */
export function reusedOf(
  document: Pick<Document, 'sections' | 'characters'>,
  isFree: (blockId: string) => boolean,
): Reused {
  const blocks = document.sections.flatMap((section) => section.blocks);
  const letters = blocks.map(({ text }) => hasTranslatableWords(text));
  const free = blocks.map(({ id }, i) => letters[i] === true && isFree(id));
  const keptBlocks = new Set<string>();
  let [all, inBlocks, inKept, lettered, remembered] = [0, 0, 0, 0, 0];
  for (const [i, { id, characters }] of blocks.entries()) {
    all += characters;
    if (letters[i] === true) {
      lettered++;
      if (free[i] !== true) continue;
      remembered++;
      inBlocks += characters;
    } else if (neighboursAreFree(i, letters, free)) {
      keptBlocks.add(id);
      inKept += characters;
    }
  }
  const between = lettered === 0 ? 0 : Math.ceil(((document.characters - all) * remembered) / lettered);
  return { characters: inBlocks + inKept + between, inBlocks, keptBlocks, between };
}

/** The next blocks with letters on both sides; where the book begins or ends, the one that there is. */
function neighboursAreFree(at: number, letters: readonly boolean[], free: readonly boolean[]): boolean {
  const before = letters.lastIndexOf(true, at);
  const after = letters.indexOf(true, at);
  const beside = [before, after].filter((i) => i >= 0);
  return beside.length > 0 && beside.every((i) => free[i]);
}
