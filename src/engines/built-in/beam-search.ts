/** Keeps the best few beginnings of each translation instead of one, and takes the one that ends best for its length. */
import type { Tensor } from 'onnxruntime-node';
import {
  createRepetitionGuard,
  type Decoded,
  type RepetitionGuard,
  type Runtime,
  type Step,
  type TakeStep,
  type Tensors,
  tokens,
} from './decoding.ts';

export interface BeamSearch {
  runtime: Runtime;
  /** The encoder's output, one row per sentence. */
  state: Tensors;
  takeStep: TakeStep;
  beam: number;
  /** Most tokens of each row's translation. */
  limits: readonly number[];
}

interface Hypothesis {
  tokens: number[];
  score: number;
  guard: RepetitionGuard;
  /** Row of the decoder's state it grew from. */
  from: number;
}

interface Row {
  limit: number;
  beams: Hypothesis[];
  ended: { tokens: number[]; score: number }[];
  /** Nothing that is still open can be better: it takes no further part, whatever the other rows still need. */
  decided: boolean;
}

/** As in Google's NMT: scores are compared per length to the power of 0.6 or more, else the shortest would always win. */
const lengthPenalty = 1;

export async function beamSearch({ runtime, state: source, takeStep, beam, limits }: BeamSearch): Promise<Decoded[]> {
  const state = repeatRows(runtime, source, limits.length, beam);
  const rows = limits.map((limit, row): Row => {
    const beams = Array.from({ length: beam }, (_, i) => ({
      tokens: [],
      score: i === 0 ? 0 : Number.NEGATIVE_INFINITY,
      guard: createRepetitionGuard(),
      from: row * beam + i,
    }));
    return { limit, beams, ended: [], decided: false };
  });
  let last = new BigInt64Array(limits.length * beam).fill(BigInt(tokens.start));
  for (let position = 0; ; position++) {
    const said = await takeStep(state, last, position, true);
    Object.assign(state, said.memory);
    for (const row of rows) {
      if (row.decided) continue;
      row.beams = grow(row.beams, said, beam, row.ended);
      row.decided = position + 1 >= row.limit || isDecided(row.beams, row.ended, beam);
    }
    if (rows.every(({ decided }) => decided)) break;
    const order = rows.flatMap(({ beams }, row) =>
      Array.from({ length: beam }, (_, i) => beams[i]?.from ?? row * beam),
    );
    last = BigInt64Array.from(
      rows.flatMap(({ beams }) =>
        Array.from({ length: beam }, (_, i) => BigInt(beams[i]?.tokens.at(-1) ?? tokens.end)),
      ),
    );
    for (const [row, { beams }] of rows.entries()) for (const [i, one] of beams.entries()) one.from = row * beam + i;
    reorder(runtime, state, order);
  }
  return rows.map(({ beams, ended }) => {
    const [best] = ended.toSorted((a, b) => b.score - a.score);
    return best === undefined ? { tokens: beams[0]?.tokens ?? [], ended: false } : { tokens: best.tokens, ended: true };
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
