import type { SegmentTask } from './book.ts';
import type { SegmentOutcome } from './segment-outcome.ts';

/**
 * Counts the paragraphs that are finished. A long paragraph may be cut into several segments: it can be delivered, and is charged when the
 * task is cancelled, once all of them are there. Passages that were left in the source language are not charged.
 */
export class FinishedBlocks {
  readonly #tasks: ReadonlyMap<string, readonly SegmentTask[]>;
  readonly #blocks = new Map<string, { missingUnits: number; translated: number }>();

  constructor(tasks: readonly SegmentTask[]) {
    this.#tasks = Map.groupBy(tasks, ({ key }) => key);
    for (const { segment } of tasks)
      for (const { blockId } of segment.units) {
        const block = this.#blocks.get(blockId) ?? { missingUnits: 0, translated: 0 };
        block.missingUnits++;
        this.#blocks.set(blockId, block);
      }
  }

  /** Characters of the paragraphs that are finished with this segment. Each segment is told once, in the order of their records. */
  with(key: string, { units }: Pick<SegmentOutcome, 'units'>): number {
    let finished = 0;
    for (const { segment } of this.#tasks.get(key) ?? [])
      for (const [i, unit] of segment.units.entries()) {
        const block = this.#blocks.get(unit.blockId);
        if (block === undefined) continue;
        if (units[i]?.failure === undefined) block.translated += unit.characters;
        block.missingUnits--;
        if (block.missingUnits === 0) finished += block.translated;
      }
    return finished;
  }
}
