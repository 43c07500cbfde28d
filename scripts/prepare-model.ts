/**
 * Takes a model as training writes it into `models/`: `node scripts/prepare-model.ts TRAINED models/draft-to-en`. The weights stay as they
 * are; the two graphs over them are changed, and the manifest gets the new checksums.
 *
 * Training's graphs round the numbers of a whole batch by the largest of them, so a sentence reads differently in other company. Here
 * every row (one token of one sentence) has a scale of its own, and the products of whole numbers are exact: what a sentence becomes
 * depends on the sentence alone. The decoder, which says only the best next token, also learns to say the eight best with their scores,
 * and the sum that turns scores into probabilities, for a beam search.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf, type Field, message, numbersOf, readMessage, writeMessage } from './protobuf.ts';

const [trained, target] = process.argv.slice(2);
if (trained === undefined || target === undefined) throw new Error('usage: prepare-model.ts TRAINED FOLDER');
const candidates = 8;

// Numbers of fields in onnx.proto.
const modelField = { graph: 7 };
const graphField = { node: 1, name: 2, initializer: 5, input: 11, output: 12 };
const nodeField = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 };
const tensorField = { dimension: 1, type: 2, name: 8, raw: 9 };
const attributeField = { name: 1, integer: 3, tensor: 5, graph: 6, integers: 8, type: 20 };
const attributeType = { integer: 2, tensor: 4, graph: 5, integers: 7 };
const elementType = { float: 1, uint8: 2, int64: 7, boolean: 9 };
const extended = 'com.microsoft';

copyFileSync(join(trained, 'nmt.bin'), join(target, 'nmt.bin'));
copyFileSync(join(trained, 'spm.vocab'), join(target, 'spm.vocab'));
change('encoder.onnx', (graph) => withRowScales(graph, 'many', 'ids'));
change('decoder.onnx', (graph) => withCandidates(withRowScales(graph, 'one', 'tok')));
writeChecksums(['encoder.onnx', 'decoder.onnx', 'nmt.bin', 'spm.vocab']);

function change(name: string, rewrite: (graph: Field[]) => Field[]): void {
  const model = readMessage(readFileSync(join(trained ?? '', name)));
  const changed = model.map((field) =>
    field.number === modelField.graph && typeof field.value !== 'number'
      ? { ...field, value: writeMessage(rewrite(readMessage(field.value))) }
      : field,
  );
  writeFileSync(join(target ?? '', name), writeMessage(changed));
}

interface Node {
  operator: string;
  inputs: string[];
  outputs: string[];
  bytes: Buffer;
}

function nodesOf(graph: readonly Field[]): Node[] {
  return bytesOf(graph, graphField.node).map((bytes) => {
    const fields = readMessage(bytes);
    const texts = (number: number): string[] => bytesOf(fields, number).map(String);
    const [operator = ''] = texts(nodeField.operator);
    return { operator, inputs: texts(nodeField.input), outputs: texts(nodeField.output), bytes };
  });
}

/**
 * Every product of activations with weights, its activations in whole numbers from 0 to 255 with one scale a row.
 * @param rows `many`: the tokens of a sentence, which are made one list of rows and put back; `one`: a sentence is one row already
 */
function withRowScales(graph: readonly Field[], rows: 'one' | 'many', tokens: string): Field[] {
  const sizes = new Map(
    bytesOf(graph, graphField.initializer).map((bytes) => {
      const fields = readMessage(bytes);
      return [String(bytesOf(fields, tensorField.name)[0]), numbersOf(fields, tensorField.dimension)];
    }),
  );
  const nodes = nodesOf(graph);
  const writer = new Map(nodes.flatMap((node) => node.outputs.map((output) => [output, node])));
  const constants = new Map([
    ['row_least', floats('row_least', [1e-8])],
    ['row_signed', floats('row_signed', [1 / 127])],
    ['row_positive', floats('row_positive', [1 / 255])],
    ['row_one', floats('row_one', [1])],
    ['row_list', integers('row_list', [-1])],
    ['row_middle', middle()],
  ]);
  // Rows that go both ways have their zero at 128, one for each.
  const changed = [
    newNode('Reshape', [tokens, 'row_list'], ['row_tokens']),
    newNode('Shape', ['row_tokens'], ['row_count']),
    newNode('ConstantOfShape', ['row_count'], ['row_middles'], [tensorAttribute('value', 128)]),
  ];
  nodes.forEach((node, number) => {
    if (node.operator !== 'DynamicQuantizeMatMul') {
      changed.push(node.bytes);
      return;
    }
    const [input = '', weights = '', scales = '', , bias = ''] = node.inputs;
    const [output = ''] = node.outputs;
    const own = (name: string): string => `row${number}_${name}`;
    // After a Relu nothing is negative: all 256 steps are for what is there.
    const positive = writer.get(input)?.operator === 'Relu';
    if (!positive) changed.push(newNode('Abs', [input], [own('size')]));
    changed.push(
      newNode('ReduceMax', [positive ? input : own('size')], [own('most')], [integersAttribute('axes', [2])]),
      newNode('Max', [own('most'), 'row_least'], [own('range')]),
      newNode('Mul', [own('range'), positive ? 'row_positive' : 'row_signed'], [own('scale')]),
      newNode('Reshape', [own('scale'), 'row_list'], [own('scales')]),
    );
    const middles = positive ? [] : ['row_middles'];
    const byRow = [integerAttribute('axis', 0)];
    if (rows === 'one') {
      changed.push(newNode('QuantizeLinear', [input, own('scales'), ...middles], [own('whole')], byRow));
    } else {
      // The vocabulary is turned round in the graph, so that it serves both ends of the model.
      const turned = writer.get(weights)?.operator === 'Transpose' ? writer.get(weights)?.inputs[0] : undefined;
      const width = turned === undefined ? sizes.get(weights)?.[0] : sizes.get(turned)?.[1];
      if (width === undefined) throw new Error(`${weights} has no known size`);
      constants.set(`row_width_${width}`, integers(`row_width_${width}`, [-1, width]));
      changed.push(
        newNode('Reshape', [input, `row_width_${width}`], [own('rows')]),
        newNode('QuantizeLinear', [own('rows'), own('scales'), ...middles], [own('whole_rows')], byRow),
        newNode('Shape', [input], [own('shape')]),
        newNode('Reshape', [own('whole_rows'), own('shape')], [own('whole')]),
      );
    }
    const product = [own('whole'), weights, 'row_one', scales, ...(positive ? [] : ['row_middle'])];
    changed.push(
      newNode('MatMulIntegerToFloat', product, [own('product')], [], extended),
      newNode('Mul', [own('product'), own('scale')], [own('scaled')]),
      newNode('Add', [own('scaled'), bias], [output]),
    );
  });
  return [
    ...changed.map((value) => field(graphField.node, value)),
    ...graph.filter(({ number }) => number !== graphField.node),
    ...[...constants.values()].map((value) => field(graphField.initializer, value)),
  ];
}

/** The best tokens with their scores where `wide` is true; else nothing, because it takes a quarter of the decoder's time. */
function withCandidates(graph: readonly Field[]): Field[] {
  const scores = nodesOf(graph).find(({ operator }) => operator === 'ArgMax')?.inputs[0];
  if (scores === undefined) throw new Error('the decoder has no ArgMax');
  const outputs = [
    ['best_scores', elementType.float, candidates],
    ['best_tokens', elementType.int64, candidates],
    ['score_sum', elementType.float, 1],
  ] as const;
  const branch = (prefix: string, nodes: readonly Buffer[], initializers: readonly Buffer[]): Buffer =>
    message([
      ...nodes.map((node) => [graphField.node, node] as const),
      [graphField.name, prefix],
      ...initializers.map((initializer) => [graphField.initializer, initializer] as const),
      ...outputs.map(
        ([name, type, width]) => [graphField.output, valueInfo(`${prefix}_${name}`, type, width)] as const,
      ),
    ]);
  const wide = branch(
    'wide',
    [
      newNode('TopK', [scores, 'beam_width'], ['wide_best_scores', 'wide_best_tokens'], [integerAttribute('axis', 1)]),
      newNode('ReduceLogSumExp', [scores], ['wide_score_sum'], [integersAttribute('axes', [1])]),
    ],
    [integers('beam_width', [candidates])],
  );
  const narrow = branch(
    'narrow',
    outputs.map(([name]) => newNode('Identity', [`no_${name}`], [`narrow_${name}`])),
    outputs.map(([name, type, width]) => noRows(`no_${name}`, type, width)),
  );
  const choice = newNode(
    'If',
    ['wide'],
    outputs.map(([name]) => name),
    [graphAttribute('then_branch', wide), graphAttribute('else_branch', narrow)],
  );
  return [
    ...graph,
    field(graphField.node, choice),
    field(graphField.input, valueInfo('wide', elementType.boolean)),
    ...outputs.map(([name, type, width]) => field(graphField.output, valueInfo(name, type, width))),
  ];
}

function writeChecksums(names: readonly string[]): void {
  const path = join(target ?? '', 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  manifest.files = Object.fromEntries(
    names.map((name) => {
      const content = readFileSync(join(target ?? '', name));
      return [name, { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }];
    }),
  );
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}

function newNode(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: readonly Buffer[] = [],
  domain = '',
): Buffer {
  return message([
    ...inputs.map((input) => [nodeField.input, input] as const),
    ...outputs.map((output) => [nodeField.output, output] as const),
    [nodeField.operator, operator],
    ...attributes.map((attribute) => [nodeField.attribute, attribute] as const),
    ...(domain === '' ? [] : [[nodeField.domain, domain] as const]),
  ]);
}

function field(number: number, value: Buffer): Field {
  return { number, wire: 2, value };
}

function floats(name: string, values: readonly number[]): Buffer {
  return tensor(name, elementType.float, values.length, Buffer.from(new Float32Array(values).buffer));
}

function integers(name: string, values: readonly number[]): Buffer {
  return tensor(name, elementType.int64, values.length, Buffer.from(new BigInt64Array(values.map(BigInt)).buffer));
}

/** One number, without dimensions. */
function middle(): Buffer {
  return message([
    [tensorField.type, elementType.uint8],
    [tensorField.name, 'row_middle'],
    [tensorField.raw, Buffer.from([128])],
  ]);
}

function noRows(name: string, type: number, width: number): Buffer {
  return message([
    [tensorField.dimension, 0],
    [tensorField.dimension, width],
    [tensorField.type, type],
    [tensorField.name, name],
    [tensorField.raw, Buffer.alloc(0)],
  ]);
}

function tensor(name: string, type: number, size: number, raw: Buffer): Buffer {
  return message([
    [tensorField.dimension, size],
    [tensorField.type, type],
    [tensorField.name, name],
    [tensorField.raw, raw],
  ]);
}

function integerAttribute(name: string, value: number): Buffer {
  return message([
    [attributeField.name, name],
    [attributeField.integer, value],
    [attributeField.type, attributeType.integer],
  ]);
}

function integersAttribute(name: string, values: readonly number[]): Buffer {
  return message([
    [attributeField.name, name],
    ...values.map((value) => [attributeField.integers, value] as const),
    [attributeField.type, attributeType.integers],
  ]);
}

function tensorAttribute(name: string, byte: number): Buffer {
  return message([
    [attributeField.name, name],
    [attributeField.tensor, tensor('', elementType.uint8, 1, Buffer.from([byte]))],
    [attributeField.type, attributeType.tensor],
  ]);
}

function graphAttribute(name: string, graph: Buffer): Buffer {
  return message([
    [attributeField.name, name],
    [attributeField.graph, graph],
    [attributeField.type, attributeType.graph],
  ]);
}

/** `width`: of rows; one value alone without it. */
function valueInfo(name: string, type: number, width?: number): Buffer {
  const shape = message(
    width === undefined
      ? [[1, message([[1, 1]])]]
      : [
          [1, message([[2, 'rows']])],
          [1, message([[1, width]])],
        ],
  );
  const tensorType = message([
    [1, type],
    [2, shape],
  ]);
  return message([
    [1, name],
    [2, message([[1, tensorType]])],
  ]);
}
