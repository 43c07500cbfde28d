/** Multipart bodies damaged in one to three ways, the same ones for the same seed. */
import { createHash } from 'node:crypto';

export interface MutatedForm {
  body: Uint8Array;
  boundary: string;
  /** What was done, for the message of a failing test. */
  steps: string[];
  /** Added to the true length in Content-Length; the body itself is sent whole. */
  lengthLie: number;
}

export function mutatedForm(seed: number): MutatedForm {
  const random = numbers(seed);
  const boundary = random(4) === 0 ? 'x' : `----toledo${random(1e9)}${random(1e9)}`;
  let body = wellFormed(boundary, random);
  const steps: string[] = [];
  for (let count = 1 + random(3); count > 0; count -= 1) {
    const mutation = mutations[random(mutations.length)];
    if (!mutation) continue;
    steps.push(mutation[0]);
    body = mutation[1](body, random, boundary);
  }
  const lengthLie = random(20) === 0 ? random(200) - 100 : 0;
  return { body, boundary, steps, lengthLie };
}

type Random = (below: number) => number;

function numbers(seed: number): Random {
  let state = createHash('sha256').update(`form ${seed}`).digest().readUInt32LE();
  return (below) => {
    // xorshift32: enough to choose bytes, and the same on every machine.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function wellFormed(boundary: string, random: Random): Buffer {
  const parts = [
    'Content-Disposition: form-data; name="action"\r\n\r\ntranslation',
    'Content-Disposition: form-data; name="target_lang"\r\n\r\nzh-Hant',
    'Content-Disposition: form-data; name="glossary"\r\nContent-Type: application/json\r\n\r\n{"Drache":"龍"}',
    `Content-Disposition: form-data; name="file"; filename="Bók.txt"\r\nContent-Type: text/plain\r\n\r\n${'Einu sinni var.\r\n'.repeat(random(400))}`,
    'Content-Disposition: form-data; name="char_limit"\r\n\r\n3000',
  ];
  const chosen = parts.slice(random(2), 3 + random(3));
  return Buffer.from(`${chosen.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`);
}

const splices = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  '"',
  ';',
  '\\',
  '--',
  ': ',
  'Content-Disposition: form-data; name="a"\r\n',
  '\r\n\r\n',
  'Content-Transfer-Encoding: base64\r\n',
  'Content-Type: multipart/mixed; boundary=y\r\n',
  "; filename*=UTF-8''%ff",
  '; filename="../../../tmp/x"',
  '; name="b"',
  '\xff\xfe',
  'charset=utf-7',
  ' '.repeat(100),
  'A'.repeat(20_000),
];

const mutations: [name: string, mutate: (body: Buffer, random: Random, boundary: string) => Buffer][] = [
  [
    'flip a byte',
    (body, random) => {
      const copy = Buffer.from(body);
      if (copy.length > 0) copy[random(copy.length)] = random(256);
      return copy;
    },
  ],
  ['truncate', (body, random) => body.subarray(0, random(body.length + 1))],
  ['drop the beginning', (body, random) => body.subarray(random(60))],
  [
    'delete a stretch',
    (body, random) => {
      const at = random(body.length + 1);
      return Buffer.concat([body.subarray(0, at), body.subarray(at + 1 + random(40))]);
    },
  ],
  [
    'splice',
    (body, random) => {
      const at = random(body.length + 1);
      const splice = Buffer.from(splices[random(splices.length)] ?? '', 'latin1');
      return Buffer.concat([body.subarray(0, at), splice, body.subarray(at)]);
    },
  ],
  [
    'splice into the headers',
    (body, random) => {
      const at = Math.min(body.length, random(160));
      const splice = Buffer.from(splices[random(splices.length)] ?? '', 'latin1');
      return Buffer.concat([body.subarray(0, at), splice, body.subarray(at)]);
    },
  ],
  [
    'repeat a stretch',
    (body, random) => {
      const at = random(body.length + 1);
      return Buffer.concat([body.subarray(0, at + random(300)), body.subarray(at)]);
    },
  ],
  ['double the body', (body) => Buffer.concat([body, body])],
  ['line feeds only', (body) => Buffer.from(body.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')],
  [
    'damage one boundary',
    (body, random, boundary) => replaceOne(body, `--${boundary}`, `--${boundary.slice(1)}`, random),
  ],
  ['glue one boundary', (body, random, boundary) => replaceOne(body, `\r\n--${boundary}`, `--${boundary}`, random)],
  ['end early', (body, random, boundary) => replaceOne(body, `--${boundary}\r\n`, `--${boundary}--\r\n`, random)],
  ['one header less', (body, random) => replaceOne(body, 'Content-Disposition: form-data; ', '', random)],
  ['no empty line after headers', (body, random) => replaceOne(body, '\r\n\r\n', '\r\n', random)],
  [
    'many parts',
    (body, random, boundary) => {
      const part = Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="p"\r\n\r\n\r\n`);
      return Buffer.concat([...Array.from({ length: random(200) }, () => part), body]);
    },
  ],
];

function replaceOne(body: Buffer, from: string, to: string, random: Random): Buffer {
  const pieces = body.toString('latin1').split(from);
  if (pieces.length < 2) return body;
  const at = 1 + random(pieces.length - 1);
  return Buffer.from(`${pieces.slice(0, at).join(from)}${to}${pieces.slice(at).join(from)}`, 'latin1');
}
