/** Small models sometimes fall into a loop; this keeps a sequence from going round a third time. */
const runLength = 4;
const allowed = 2;

export interface RepetitionGuard {
  /** Whether this token would complete a run of tokens that has been there twice. */
  forbids(token: number): boolean;
  add(token: number): void;
  copy(): RepetitionGuard;
}

export function createRepetitionGuard(tokens: readonly number[] = [], counts?: Map<string, number>): RepetitionGuard {
  const sequence = [...tokens];
  const seen = new Map(counts);
  const runWith = (token: number): string | undefined =>
    sequence.length < runLength - 1 ? undefined : [...sequence.slice(1 - runLength), token].join(' ');
  return {
    forbids(token) {
      const run = runWith(token);
      return run !== undefined && (seen.get(run) ?? 0) >= allowed;
    },
    add(token) {
      const run = runWith(token);
      if (run !== undefined) seen.set(run, (seen.get(run) ?? 0) + 1);
      sequence.push(token);
    },
    copy: () => createRepetitionGuard(sequence, seen),
  };
}
