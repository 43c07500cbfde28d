/** What the model and the search over its answers share. */
import type { Tensor } from 'onnxruntime-node';

export type Runtime = Pick<typeof import('onnxruntime-node'), 'InferenceSession' | 'Tensor'>;
export type Tensors = Record<string, Tensor>;

export interface Decoded {
  tokens: number[];
  /** False when it was cut at the longest length a translation may have: a loop. */
  ended: boolean;
}

/** What one step of the decoder says of each row. */
export interface Step {
  best: BigInt64Array;
  /** The `width` best tokens of each row with their scores, and the sum that makes them log probabilities: of a wide step only. */
  tokens: BigInt64Array;
  scores: Float32Array;
  sums: Float32Array;
  width: number;
  /** What the decoder remembers when this step is taken. */
  memory: Tensors;
}

/** One token further. A wide step takes a third longer. */
export type TakeStep = (state: Tensors, last: BigInt64Array, position: number, wide: boolean) => Promise<Step>;

export const tokens = { padding: 0, start: 2, end: 3 } as const;

/** The first token of a source says what it is to become. */
const targetTokens: Readonly<Record<string, number>> = { en: 4, de: 5, fr: 6, es: 7, it: 8, pt: 9, ru: 10 };

/** @throws Error for a language that the models were not trained for */
export function targetToken(language: string): number {
  const token = targetTokens[language];
  if (token === undefined) throw new Error(`the draft models have no token for ${language}`);
  return token;
}

/**
 * Sums over a sentence are added up in an order that depends on its length with padding. So that is a matter of the sentence and not of
 * the others in its batch: the next multiple of this.
 */
const paddingStep = 16;

/** Of a source with so many tokens, with the one for the target and the one for the end. */
export function paddedLength(sourceTokens: number): number {
  return Math.ceil((sourceTokens + 2) / paddingStep) * paddingStep;
}

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
