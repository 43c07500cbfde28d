import { type BlockKey, type BlockPlace, correctedVariant } from './block-keys.ts';
import type { Grade } from './choose.ts';
import type { Recalled } from './recall.ts';

/** One block for the memory. */
export interface NewMemory extends BlockPlace {
  grade: Grade;
  target: string;
  /** Of the source. */
  characters: number;
}

/** Two blocks with the same one are remembered as one. */
function placeOf({ text, variant, context }: BlockPlace): string {
  return `${text} ${variant} ${context}`;
}

/** Remembered places that the task pays for once more. */
export function paidPlaces(recalled: Recalled): BlockPlace[] {
  return [...recalled.values()].flatMap(({ free, place }) => (free || place === undefined ? [] : [place]));
}

/**
 * What a finished book teaches: its new translations, and short blocks that stand beside other neighbours than before.
 * @param failed blocks that were left in the source language
 */
export function newMemories(
  keys: readonly BlockKey[],
  texts: Pick<ReadonlyMap<string, string>, 'get'>,
  recalled: Recalled,
  failed: ReadonlySet<string>,
  gradeOf: (blockId: string) => Grade,
): NewMemory[] {
  const memories = new Map<string, NewMemory>();
  for (const key of keys) {
    const { blockId } = key;
    const recalledBlock = recalled.get(blockId);
    const target = texts.get(blockId);
    if (target === undefined || failed.has(blockId) || (recalledBlock && (recalledBlock.sameContext || !key.short)))
      continue;
    const grade = recalledBlock?.grade ?? gradeOf(blockId);
    const { text, context, characters } = key;
    const variant = grade === 'corrected' ? correctedVariant : key.variant;
    const memory = { text, variant, context, grade, target, characters };
    memories.set(placeOf(memory), memory);
  }
  return [...memories.values()];
}
