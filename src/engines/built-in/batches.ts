/** Which sentences are computed together: those of the same length with padding, which makes no difference to any of them. */
import { paddedLength } from './decoding.ts';

/** With padding. More would not be faster, and takes memory. */
const batchTokens = 1_024;

/** Positions in `lengths`, batch by batch. */
export function planBatches(lengths: readonly number[], beam: number): number[][] {
  const classes = Map.groupBy(lengths.keys(), (i) => paddedLength(lengths[i] ?? 0));
  return [...classes]
    .sort(([one], [other]) => one - other)
    .flatMap(([padded, own]) => {
      const size = Math.max(1, Math.floor(batchTokens / (padded * beam)));
      return Array.from({ length: Math.ceil(own.length / size) }, (_, i) => own.slice(i * size, (i + 1) * size));
    });
}
