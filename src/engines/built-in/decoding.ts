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
  /** The `width` best tokens of each row with their scores, and the sum that makes them log probabilities. */
  tokens: BigInt64Array;
  scores: Float32Array;
  sums: Float32Array;
  width: number;
}

export const tokens = { padding: 0, start: 2, end: 3, intoEnglish: 4 } as const;
