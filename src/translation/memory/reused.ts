import type { Document } from '../../documents/document.ts';
import { hasTranslatableWords } from '../plan/units.ts';

/** What of a book costs nothing because it is remembered, in characters. */
export interface Reused {
  /** All of it. */
  characters: number;
  /** In remembered blocks alone. */
  inBlocks: number;
  /** Blocks without letters beside remembered ones. */
  keptBlocks: ReadonlySet<string>;
  /** White space and separators of plain text beside remembered blocks. */
  between: number;
}

/**
 * What has no letters costs something only where all that stands beside it is new. So new text costs what it would cost alone, wherever it
 * is put in, and never more than its characters.
 * @param isFree remembered, and not to be charged again
 */
export function reusedOf(
  document: Pick<Document, 'sections' | 'characters'>,
  isFree: (blockId: string) => boolean,
): Reused {
  const blocks = document.sections.flatMap((section) => section.blocks);
  const letters = blocks.map(({ text }) => hasTranslatableWords(text));
  const free = blocks.map(({ id }, i) => letters[i] === true && isFree(id));
  const beside = besideFree(letters, free);
  const keptBlocks = new Set<string>();
  let [inBlocks, inKept, between] = [0, 0, 0];
  let rest = document.characters;
  for (const [i, { id, characters, before = 0 }] of blocks.entries()) {
    rest -= characters + before;
    if (free[i]) inBlocks += characters;
    if (beside[i]) {
      keptBlocks.add(id);
      inKept += characters;
    }
    if (free[i] || beside[i] || (i > 0 && (free[i - 1] || beside[i - 1]))) between += before;
  }
  // Behind the last block.
  if (rest > 0 && (free.at(-1) || beside.at(-1))) between += rest;
  return { characters: inBlocks + inKept + between, inBlocks, keptBlocks, between };
}

/** For each block without letters: whether one of the next blocks with letters, on either side, is free. */
function besideFree(letters: readonly boolean[], free: readonly boolean[]): boolean[] {
  const beside = letters.map(() => false);
  for (const order of [[...letters.keys()], [...letters.keys()].reverse()]) {
    let last = false;
    for (const i of order) {
      if (letters[i]) last = free[i] === true;
      else if (last) beside[i] = true;
    }
  }
  return beside;
}
