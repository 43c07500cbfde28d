/** The neural network: token numbers in, token numbers out, one batch at a time. */
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { beamSearch } from './beam-search.ts';
import { type Decoded, type Runtime, type Step, type Tensors, tokens } from './decoding.ts';
import { createRepetitionGuard } from './repetition.ts';

export interface DraftModel {
  /** `beam` 1 takes the best token each time. The same batch always gives the same answer. */
  translate(batch: readonly (readonly number[])[], beam: number): Promise<Decoded[]>;
}

const heads = 8;
const headSize = 64;
/** The positions the model knows; no piece comes near it. */
const maxOutputTokens = 400;

export async function loadDraftModel(runtime: Runtime, folder: string, threads: number): Promise<DraftModel> {
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
  const decoder = await runtime.InferenceSession.create(`${folder}/decoder-beam.onnx`, options);
  const layers = decoder.inputNames.filter((name) => name.startsWith('ck')).length;

  const encode = async (batch: readonly (readonly number[])[]): Promise<{ state: Tensors; length: number }> => {
    const length = Math.max(...batch.map((row) => row.length)) + 2;
    const ids = new BigInt64Array(batch.length * length);
    for (const [row, source] of batch.entries()) {
      ids[row * length] = BigInt(tokens.intoEnglish);
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
    return { state, length };
  };

  /** One token further; changes `state`. */
  const step = async (state: Tensors, last: BigInt64Array, position: number): Promise<Step> => {
    const answer = await decoder.run({
      ...state,
      tok: new runtime.Tensor('int64', last, [last.length, 1]),
      t: new runtime.Tensor('int64', BigInt64Array.of(BigInt(position)), [1]),
    });
    for (let layer = 0; layer < layers; layer++) {
      state[`pk${layer}`] = answer[`nk${layer}`] as Tensor;
      state[`pv${layer}`] = answer[`nv${layer}`] as Tensor;
    }
    return {
      best: answer.next?.data as BigInt64Array,
      tokens: answer.best_tokens?.data as BigInt64Array,
      scores: answer.best_scores?.data as Float32Array,
      sums: answer.score_sum?.data as Float32Array,
      width: answer.best_tokens?.dims[1] ?? 1,
    };
  };

  return {
    async translate(batch, beam) {
      const { state, length } = await encode(batch);
      const limit = Math.min(maxOutputTokens, Math.floor(length * 1.5) + 12);
      return beam > 1
        ? await beamSearch({ runtime, state, step, rows: batch.length, beam, limit })
        : await greedySearch(state, step, batch.length, limit);
    },
  };
}

async function greedySearch(
  state: Tensors,
  step: (state: Tensors, last: BigInt64Array, position: number) => Promise<Step>,
  rows: number,
  limit: number,
): Promise<Decoded[]> {
  const results: Decoded[] = Array.from({ length: rows }, () => ({ tokens: [], ended: false }));
  const guards = results.map(() => createRepetitionGuard());
  let last = new BigInt64Array(rows).fill(BigInt(tokens.start));
  let open = rows;
  for (let position = 0; position < limit && open > 0; position++) {
    const said = await step(state, last, position);
    last = new BigInt64Array(said.best);
    for (const [row, result] of results.entries()) {
      if (result.ended) continue;
      const guard = guards[row];
      let token = Number(said.best[row]);
      for (let i = 1; i < said.width && guard?.forbids(token); i++) token = Number(said.tokens[row * said.width + i]);
      last[row] = BigInt(token);
      if (token === tokens.end) {
        result.ended = true;
        open--;
      } else {
        result.tokens.push(token);
        guard?.add(token);
      }
    }
  }
  return results;
}
