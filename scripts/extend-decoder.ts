/**
 * Gives a model's decoder the outputs that a beam search needs: `node scripts/extend-decoder.ts models/draft-to-en`.
 * Training writes a decoder that says only the best next token. This adds the eight best with their scores and the sum
 * that turns scores into probabilities, as a second graph file over the same weights.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const candidates = 8;
const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: extend-decoder.ts FOLDER');
const decoder = readFileSync(join(folder, 'decoder.onnx'));

// Numbers of fields in onnx.proto.
const model = { graph: 7 };
const graph = { node: 1, initializer: 5, output: 12 };
const node = { input: 1, output: 2, opType: 4, attribute: 5 };
const attribute = { name: 1, integer: 3, integers: 8, type: 20 };
const attributeType = { integer: 2, integers: 7 };
const elementType = { float: 1, int64: 7 };

const scores = inputOf('ArgMax');
const k = message([
  [1, 1],
  [2, elementType.int64],
  [7, packed([candidates])],
  [8, 'beam_width'],
]);
const extension = message([
  [graph.initializer, k],
  [
    graph.node,
    message([
      [node.input, scores],
      [node.input, 'beam_width'],
      [node.output, 'best_scores'],
      [node.output, 'best_tokens'],
      [node.opType, 'TopK'],
      [node.attribute, integerAttribute('axis', 1)],
    ]),
  ],
  [
    graph.node,
    message([
      [node.input, scores],
      [node.output, 'score_sum'],
      [node.opType, 'ReduceLogSumExp'],
      [
        node.attribute,
        message([
          [attribute.name, 'axes'],
          [attribute.integers, packed([1])],
          [attribute.type, attributeType.integers],
        ]),
      ],
    ]),
  ],
  [graph.output, valueInfo('best_scores', elementType.float, candidates)],
  [graph.output, valueInfo('best_tokens', elementType.int64, candidates)],
  [graph.output, valueInfo('score_sum', elementType.float, 1)],
]);
// Protocol buffers merge a message that comes twice: repeated fields of the second are appended to the first's.
writeFileSync(join(folder, 'decoder-beam.onnx'), Buffer.concat([decoder, message([[model.graph, extension]])]));

function integerAttribute(name: string, value: number): Buffer {
  return message([
    [attribute.name, name],
    [attribute.integer, value],
    [attribute.type, attributeType.integer],
  ]);
}

function valueInfo(name: string, type: number, width: number): Buffer {
  const rows = message([[2, 'B']]);
  const columns = message([[1, width]]);
  const shape = message([
    [1, rows],
    [1, columns],
  ]);
  const tensor = message([
    [1, type],
    [2, shape],
  ]);
  return message([
    [1, name],
    [2, message([[1, tensor]])],
  ]);
}

function message(fields: readonly (readonly [number, number | string | Buffer])[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([field, value]) => {
      if (typeof value === 'number') return [varint(field << 3), varint(value)];
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      return [varint((field << 3) | 2), varint(bytes.length), bytes];
    }),
  );
}

function packed(values: readonly number[]): Buffer {
  return Buffer.concat(values.map(varint));
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** The name of the tensor that the only node of this type reads. */
function inputOf(opType: string): string {
  for (const body of fieldsOf(decoder, model.graph)) {
    for (const one of fieldsOf(body, graph.node)) {
      const [type] = fieldsOf(one, node.opType);
      const [input] = fieldsOf(one, node.input);
      if (type?.toString() === opType && input !== undefined) return input.toString();
    }
  }
  throw new Error(`the decoder has no ${opType}`);
}

/** The length-delimited values of one field, in order. */
function fieldsOf(bytes: Buffer, wanted: number): Buffer[] {
  const found: Buffer[] = [];
  let at = 0;
  const read = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = read();
    const wire = key & 7;
    if (wire === 0) read();
    else if (wire === 5) at += 4;
    else if (wire === 1) at += 8;
    else {
      const length = read();
      if (key >> 3 === wanted) found.push(bytes.subarray(at, at + length));
      at += length;
    }
  }
  return found;
}
