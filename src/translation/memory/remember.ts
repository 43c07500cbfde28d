import { type BlockKey, type BlockPlace, correctedVariant } from './block-keys.ts';
import type { Grade } from './choose.ts';
import type { Recalled } from './recall.ts';

/** One block for the memory. */
export interface NewMemory {
  text: string;
  variant: number;
  context: number;
  grade: Grade;
  target: string;
  /** Of the source. */
  characters: number;
}

/** Two blocks with the same one are remembered as one. */
export function placeOf({ text, variant, context }: BlockPlace): string {
  return `${text} ${variant} ${context}`;
}

/** Of two for the same place. */
export function isSameMemory(one: NewMemory, other: NewMemory | undefined): boolean {
  return one.target === other?.target && one.grade === other.grade && one.characters === other.characters;
}

/** Remembered places that the task pays for once more. */
export function paidPlaces(recalled: Recalled): BlockPlace[] {
  return [...recalled.values()].flatMap(({ free, place }) => (free || place === undefined ? [] : [place]));
}

/** What was made of a block before, by its id, and where it belongs. */
export type MadeMemories = Map<string, { place: string; memory: NewMemory }>;

/**
 * What a finished book teaches: its new translations, and short blocks that stand beside other neighbours than before.
 * @param failed blocks that were left in the source language
 * @param made of the same blocks: what is still the same is the same object
 */
export function newMemories(
  keys: readonly BlockKey[],
  texts: Pick<ReadonlyMap<string, string>, 'get'>,
  recalled: Recalled,
  failed: ReadonlySet<string>,
  gradeOf: (blockId: string) => Grade,
  made: MadeMemories = new Map(),
): NewMemory[] {
  const memories = new Map<string, NewMemory>();
  for (const key of keys) {
    const { blockId } = key;
    const there = recalled.get(blockId);
    const target = texts.get(blockId);
    if (target === undefined || failed.has(blockId) || (there && (there.sameContext || !key.short))) continue;
    const grade = there?.grade ?? gradeOf(blockId);
    let own = made.get(blockId);
    if (own === undefined || own.memory.target !== target || own.memory.grade !== grade) {
      const { text, context, characters } = key;
      const variant = grade === 'corrected' ? correctedVariant : key.variant;
      const memory = { text, variant, context, grade, target, characters };
      own = { place: placeOf(memory), memory };
      made.set(blockId, own);
    }
    memories.set(own.place, own.memory);
  }
  return [...memories.values()];
}
