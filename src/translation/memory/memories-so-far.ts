import type { SegmentTask, TextsSoFar } from '../book.ts';
import type { SegmentOutcome } from '../segment-outcome.ts';
import type { BlockKey } from './block-keys.ts';
import type { Recalled } from './recall.ts';
import { type MadeMemories, type NewMemory, newMemories } from './remember.ts';

/**
 * What a book teaches while it is being translated, so that little is left to be handed over at its end. It may differ from what `newMemories`
 * says of the finished book, where a text is changed afterwards.
 */
export class MemoriesSoFar {
  /** What was told of each block. */
  readonly made: MadeMemories = new Map();
  readonly #texts: TextsSoFar;
  readonly #recalled: Recalled;
  readonly #segments: ReadonlyMap<string, readonly SegmentTask[]>;
  readonly #keys: ReadonlyMap<string, BlockKey>;
  readonly #failed = new Set<string>();

  constructor(book: {
    keys: readonly BlockKey[];
    tasks: readonly SegmentTask[];
    texts: TextsSoFar;
    recalled: Recalled;
  }) {
    this.#texts = book.texts;
    this.#recalled = book.recalled;
    this.#segments = Map.groupBy(book.tasks, ({ key }) => key);
    this.#keys = new Map(book.keys.map((key) => [key.blockId, key]));
  }

  /** Those of the blocks that are complete with a segment. */
  with(segmentKey: string, { units, quality }: SegmentOutcome): NewMemory[] {
    const blocks = new Set<string>();
    for (const { segment } of this.#segments.get(segmentKey) ?? [])
      for (const [i, { blockId }] of segment.units.entries()) {
        blocks.add(blockId);
        if (units[i]?.failure !== undefined) this.#failed.add(blockId);
      }
    const keys = [...blocks].flatMap((blockId) => this.#keys.get(blockId) ?? []);
    return newMemories(keys, this.#texts, this.#recalled, this.#failed, () => quality ?? 'translated', this.made);
  }
}
