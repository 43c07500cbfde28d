/** The neural network: token numbers in, token numbers out, one batch at a time. */
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { beamSearch } from './beam-search.ts';
import {
  createRepetitionGuard,
  type Decoded,
  paddedLength,
  type Runtime,
  type TakeStep,
  type Tensors,
  targetToken,
  tokens,
} from './decoding.ts';

export type DraftModel = Awaited<ReturnType<typeof loadDraftModel>>;
type Batch = readonly (readonly number[])[];

const heads = 8;
const headSize = 64;
/** The positions the model knows; no piece comes near it. */
const maxOutputTokens = 400;

/** Tokens of a translation for one of the source: the vocabulary has longer pieces of English than of other languages. */
function longestOutput(sourceTokens: number, into: string): number {
  return Math.min(maxOutputTokens, Math.floor(sourceTokens * (into === 'en' ? 1.5 : 2)) + 12);
}

export async function loadDraftModel(runtime: Runtime, folder: string, threads: number) {
  const options: InferenceSession.SessionOptions = {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    executionMode: 'sequential',
    // Shapes change with every step, so patterns of memory are learned in vain.
    enableMemPattern: false,
    // A thread that waits spinning takes the processor from the API for nothing.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  const encoder = await runtime.InferenceSession.create(`${folder}/encoder.onnx`, options);
  const decoder = await runtime.InferenceSession.create(`${folder}/decoder.onnx`, options);
  const layers = decoder.inputNames.filter((name) => name.startsWith('ck')).length;

  const encode = async (batch: Batch, into: string): Promise<Tensors> => {
    const length = paddedLength(batch[0]?.length ?? 0);
    if (batch.some((source) => paddedLength(source.length) !== length)) throw new Error('a batch of several lengths');
    const ids = new BigInt64Array(batch.length * length);
    for (const [row, source] of batch.entries()) {
      ids[row * length] = BigInt(targetToken(into));
      for (const [i, token] of source.entries()) ids[row * length + 1 + i] = BigInt(token);
      ids[row * length + 1 + source.length] = BigInt(tokens.end);
    }
    const encoded = await encoder.run({ ids: new runtime.Tensor('int64', ids, [batch.length, length]) });
    const state: Tensors = { mbias: encoded.mbias as Tensor };
    for (let layer = 0; layer < layers; layer++) {
      state[`ck${layer}`] = encoded[`ck${layer}`] as Tensor;
      state[`cv${layer}`] = encoded[`cv${layer}`] as Tensor;
      state[`pk${layer}`] = new runtime.Tensor('float32', new Float32Array(0), [batch.length, heads, headSize, 0]);
      state[`pv${layer}`] = new runtime.Tensor('float32', new Float32Array(0), [batch.length, heads, 0, headSize]);
    }
    return state;
  };

  const takeStep: TakeStep = async (state, last, position, wide) => {
    const answer = await decoder.run({
      ...state,
      tok: new runtime.Tensor('int64', last, [last.length, 1]),
      t: new runtime.Tensor('int64', BigInt64Array.of(BigInt(position)), [1]),
      wide: new runtime.Tensor('bool', [wide], [1]),
    });
    const memory: Tensors = {};
    for (let layer = 0; layer < layers; layer++) {
      memory[`pk${layer}`] = answer[`nk${layer}`] as Tensor;
      memory[`pv${layer}`] = answer[`nv${layer}`] as Tensor;
    }
    return {
      best: answer.next?.data as BigInt64Array,
      tokens: answer.best_tokens?.data as BigInt64Array,
      scores: answer.best_scores?.data as Float32Array,
      sums: answer.score_sum?.data as Float32Array,
      width: answer.best_tokens?.dims[1] ?? 1,
      memory,
    };
  };

  return {
    /**
     * What a source becomes does not depend on the others of its batch, all of which have the same length with padding. `beam` 1
     * takes the best token each time.
     */
    async translate(batch: Batch, { into, beam }: { into: string; beam: number }): Promise<Decoded[]> {
      const state = await encode(batch, into);
      const limits = batch.map((source) => longestOutput(source.length + 2, into));
      return beam > 1
        ? await beamSearch({ runtime, state, takeStep, beam, limits })
        : await greedySearch(state, takeStep, limits);
    },
  };
}

/** @param limits most tokens of each row's translation */
async function greedySearch(state: Tensors, takeStep: TakeStep, limits: readonly number[]): Promise<Decoded[]> {
  const rows = limits.map((limit) => ({ limit, guard: createRepetitionGuard(), tokens: [] as number[], ended: false }));
  const isOpen = ({ limit, tokens, ended }: (typeof rows)[number]): boolean => !ended && tokens.length < limit;
  let last = new BigInt64Array(rows.length).fill(BigInt(tokens.start));
  for (let position = 0; rows.some(isOpen); position++) {
    let said = await takeStep(state, last, position, false);
    const best = said.best;
    const isLoop = rows.some((row, i) => isOpen(row) && row.guard.forbids(Number(best[i])));
    if (isLoop) said = await takeStep(state, last, position, true);
    last = new BigInt64Array(best);
    for (const [i, row] of rows.entries()) {
      if (!isOpen(row)) continue;
      let token = Number(best[i]);
      for (let k = 1; k < said.width && row.guard.forbids(token); k++) token = Number(said.tokens[i * said.width + k]);
      last[i] = BigInt(token);
      if (token === tokens.end) {
        row.ended = true;
        continue;
      }
      row.tokens.push(token);
      row.guard.add(token);
    }
    Object.assign(state, said.memory);
  }
  return rows.map(({ tokens, ended }) => ({ tokens, ended }));
}
