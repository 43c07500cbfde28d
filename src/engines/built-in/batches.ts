/**
 * Sentences of about the same length together, up to this many tokens with padding. The network rounds its numbers by
 * the largest of a batch, so a sentence may read differently in other company (7 of 40 did): a batch therefore holds
 * sentences of one request only, and the same request always makes the same batches.
 */
const batchTokens = 1_024;

/** Positions in `lengths`, batch by batch. */
export function planBatches(lengths: readonly number[], beam: number): number[][] {
  const order = lengths.map((_, i) => i).sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b);
  const batches: number[][] = [];
  for (const i of order) {
    const current = batches.at(-1);
    // The language and the end of the sentence are tokens too.
    const padded = (lengths[i] ?? 0) + 2;
    if (current !== undefined && (current.length + 1) * padded * beam <= batchTokens) current.push(i);
    else batches.push([i]);
  }
  return batches;
}
