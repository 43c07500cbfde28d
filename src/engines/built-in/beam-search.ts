/** Keeps the best few beginnings of each translation instead of one, and takes the one that ends best for its length. */
import type { Tensor } from 'onnxruntime-node';
import { type Decoded, type Runtime, type Step, type Tensors, tokens } from './decoding.ts';
import { createRepetitionGuard, type RepetitionGuard } from './repetition.ts';

export interface BeamSearch {
  runtime: Runtime;
  /** The encoder's output, one row per sentence. */
  state: Tensors;
  step: (state: Tensors, last: BigInt64Array, position: number) => Promise<Step>;
  rows: number;
  beam: number;
  limit: number;
}

interface Hypothesis {
  tokens: number[];
  score: number;
  guard: RepetitionGuard;
  /** Row of the decoder's state it grew from. */
  from: number;
}

/** As in Google's NMT: scores are compared per length to the power of 0.6 or more, else the shortest would always win. */
const lengthPenalty = 1;

export async function beamSearch(search: BeamSearch): Promise<Decoded[]> {
  const { runtime, rows, beam, limit, step } = search;
  const state = repeatRows(runtime, search.state, rows, beam);
  let beams: Hypothesis[][] = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: beam }, (_, i) => ({
      tokens: [],
      score: i === 0 ? 0 : Number.NEGATIVE_INFINITY,
      guard: createRepetitionGuard(),
      from: row * beam + i,
    })),
  );
  const ended: { tokens: number[]; score: number }[][] = beams.map(() => []);
  let last = new BigInt64Array(rows * beam).fill(BigInt(tokens.start));
  for (let position = 0; position < limit; position++) {
    const said = await step(state, last, position);
    const grown = beams.map((own, row) => grow(own, said, beam, ended[row] ?? []));
    if (grown.every((own, row) => isDecided(own, ended[row] ?? [], beam))) break;
    const order = grown.flatMap((own, row) => Array.from({ length: beam }, (_, i) => own[i]?.from ?? row * beam));
    last = BigInt64Array.from(
      grown.flatMap((own) => Array.from({ length: beam }, (_, i) => BigInt(own[i]?.tokens.at(-1) ?? tokens.end))),
    );
    beams = grown.map((own, row) => own.map((hypothesis, i) => ({ ...hypothesis, from: row * beam + i })));
    reorder(runtime, state, order);
  }
  return ended.map((own, row) => {
    const [best] = own.toSorted((a, b) => b.score - a.score);
    return best === undefined
      ? { tokens: beams[row]?.[0]?.tokens ?? [], ended: false }
      : { tokens: best.tokens, ended: true };
  });
}

/** The `beam` best ways to go on; those that end are put aside. */
function grow(
  own: readonly Hypothesis[],
  said: Step,
  beam: number,
  ended: { tokens: number[]; score: number }[],
): Hypothesis[] {
  const options: { parent: Hypothesis; token: number; score: number }[] = [];
  for (const parent of own) {
    if (parent.score === Number.NEGATIVE_INFINITY) continue;
    for (let i = 0; i < said.width; i++) {
      const at = parent.from * said.width + i;
      const token = Number(said.tokens[at]);
      if (token !== tokens.end && parent.guard.forbids(token)) continue;
      options.push({ parent, token, score: parent.score + (said.scores[at] ?? 0) - (said.sums[parent.from] ?? 0) });
    }
  }
  options.sort((a, b) => b.score - a.score);
  const next: Hypothesis[] = [];
  for (const [rank, { parent, token, score }] of options.entries()) {
    if (next.length === beam) break;
    if (token === tokens.end) {
      // An end that is not among the best is no serious proposal.
      if (rank < beam)
        ended.push({ tokens: parent.tokens, score: score / (parent.tokens.length + 1) ** lengthPenalty });
      continue;
    }
    const guard = parent.guard.copy();
    guard.add(token);
    next.push({ tokens: [...parent.tokens, token], score, guard, from: parent.from });
  }
  return next;
}

function isDecided(own: readonly Hypothesis[], ended: readonly { score: number }[], beam: number): boolean {
  if (own.length === 0) return true;
  if (ended.length < beam) return false;
  const best = Math.max(...ended.map(({ score }) => score));
  const [open] = own;
  return open === undefined || open.score / (open.tokens.length + 1) ** lengthPenalty <= best;
}

function repeatRows(runtime: Runtime, state: Tensors, rows: number, beam: number): Tensors {
  const order = Array.from({ length: rows * beam }, (_, i) => Math.floor(i / beam));
  return Object.fromEntries(Object.entries(state).map(([name, tensor]) => [name, pickRows(runtime, tensor, order)]));
}

/** What the decoder remembers of its own words follows the beginnings that were kept; the source stays where it is. */
function reorder(runtime: Runtime, state: Tensors, order: readonly number[]): void {
  if (order.every((from, to) => from === to)) return;
  for (const [name, tensor] of Object.entries(state)) {
    if (/^p[kv]/.test(name)) state[name] = pickRows(runtime, tensor, order);
  }
}

function pickRows(runtime: Runtime, tensor: Tensor, order: readonly number[]): Tensor {
  const [rows = 1, ...rest] = tensor.dims;
  const data = tensor.data as Float32Array;
  const size = data.length / rows;
  const picked = new Float32Array(order.length * size);
  for (const [to, from] of order.entries()) picked.set(data.subarray(from * size, (from + 1) * size), to * size);
  return new runtime.Tensor('float32', picked, [order.length, ...rest]);
}
