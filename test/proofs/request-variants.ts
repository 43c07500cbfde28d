/**
 * The same request in another shape replays; a change of any one field or byte conflicts and writes no row. Multipart
 * requests are written out by hand, so that one logical request can be sent in many shapes. Size: pairs of requests.
 */

import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Answer } from '../support/api-client.ts';
import { proofRun } from '../support/proof.ts';
import { countRows } from '../support/stored.ts';
import { assertError } from '../support/task-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const { size: runs, seed } = proofRun({ short: 20, long: 1_000, seed: 20_260_101 });

test(`${runs} pairs: equivalent requests replay; a change of any one field or one byte conflicts and writes no row`, async () => {
  // Without a worker beside it, so that rows change by requests alone.
  await proveVariants(await startTestApp({ role: 'api' }), { runs, seed });
});

interface RawPart {
  name: string;
  value: string;
  fileName?: string;
}

interface RawRequest {
  boundary: string;
  parts: RawPart[];
}

const plain = (part: RawPart): boolean => part.fileName === undefined;

/** Without a worker beside it, so that rows change by requests alone. */
async function proveVariants(app: TestApp, options: { runs: number; seed: number }): Promise<void> {
  const { key } = await app.account({ credits: 1_000_000, rateLimitPerMinute: 100_000 });
  let n = 0;
  await fc.assert(
    fc.asyncProperty(someRequest, fc.infiniteStream(fc.nat()), async (original, choices) => {
      const idempotencyKey = `variant ${n++}`;
      const first = await sendRaw(app, key, idempotencyKey, original);
      assert.equal(first.status, 201, first.text);
      const rows = await countRows(app);
      const same = await sendRaw(app, key, idempotencyKey, equivalentRequest(original, choices));
      assert.equal(same.text, first.text);
      assert.equal(same.headers.get('idempotent-replayed'), 'true');
      const changed = changedRequest(original, choices);
      const answer = await sendRaw(app, key, idempotencyKey, changed.request);
      assertError(answer, 409, 'IDEMPOTENCY_CONFLICT', {}, changed.what);
      assert.deepEqual(await countRows(app), rows, changed.what);
    }),
    { numRuns: options.runs, seed: options.seed, endOnFailure: true },
  );
}

/** A valid create call with some of the optional fields, from text or from a file. */
const someRequest: fc.Arbitrary<RawRequest> = fc
  .record({
    text: fc.integer({ min: 1, max: 1_000_000 }),
    asFile: fc.boolean(),
    source: fc.constantFrom(undefined, 'en'),
    glossary: fc.constantFrom(undefined, '{"Corwin":"Korvin","Brenna":{"target":"Bren","gender":"female"}}'),
    metadata: fc.constantFrom(undefined, '{"external_id":"7","client":"Harbour Press"}'),
    strategy: fc.constantFrom(undefined, 'skip', 'replace'),
  })
  .map(({ text, asFile, source, glossary, metadata, strategy }) => {
    const parts: RawPart[] = [
      { name: 'action', value: 'translation' },
      { name: 'target_lang', value: 'de' },
      { name: 'char_limit', value: '30' },
    ];
    const add = (name: string, value: string | undefined) => value !== undefined && parts.push({ name, value });
    add('source_lang', source);
    add('glossary', glossary);
    add('metadata', metadata);
    add('glossary_strategy', strategy);
    const value = `The lamp number ${text} was out, and Corwin lit it again.`;
    parts.push(asFile ? { name: 'file', fileName: 'novel.txt', value } : { name: 'text', value });
    return { boundary: 'first-boundary', parts };
  });

/** Another way to send the same: order, boundary, file and part name, defaults spelt out, other JSON for the same object. */
function equivalentRequest(request: RawRequest, choices: Iterator<number>): RawRequest {
  const choose = chooser(choices);
  const parts = request.parts.map((part): RawPart => {
    if (part.fileName !== undefined) return choose(2) ? { ...part, name: 'novel', fileName: 'Anders.TXT' } : part;
    if (part.name === 'target_lang') return { ...part, value: choose(2) ? 'DE' : 'de' };
    if (part.name === 'char_limit') return { ...part, value: choose(2) ? '0030' : '30' };
    if (part.name === 'glossary' || part.name === 'metadata') {
      const entries = Object.entries(JSON.parse(part.value));
      return choose(2) ? { ...part, value: JSON.stringify(Object.fromEntries(entries.reverse()), null, 2) } : part;
    }
    return part;
  });
  const has = (name: string) => parts.some((part) => part.name === name);
  for (const [name, value] of Object.entries({
    source_lang: 'auto',
    glossary_strategy: 'merge',
    glossary: '{}',
    metadata: '{}',
  })) {
    if (!has(name) && choose(2)) parts.push({ name, value });
  }
  if (parts.some((part) => part.name === 'text') && choose(2)) parts.push({ name: 'estimated_chars', value: '77' });
  for (let i = parts.length - 1; i > 0; i--) {
    const j = choose(i + 1);
    [parts[i], parts[j]] = [parts[j] as RawPart, parts[i] as RawPart];
  }
  return { boundary: `other${choose(1e6)}`, parts };
}

/** The same request with one thing changed that matters. */
function changedRequest(request: RawRequest, choices: Iterator<number>): { request: RawRequest; what: string } {
  const choose = chooser(choices);
  const changes: [what: string, change: (parts: RawPart[]) => RawPart[]][] = [
    [
      'one byte of the source',
      (parts) => parts.map((part) => (isSource(part) ? { ...part, value: part.value.replace('lamp', 'Lamp') } : part)),
    ],
    [
      'a line break at the end',
      (parts) => parts.map((part) => (isSource(part) ? { ...part, value: `${part.value}\n` } : part)),
    ],
    ['target_lang', (parts) => withField(parts, 'target_lang', 'fr')],
    ['target_lang region', (parts) => withField(parts, 'target_lang', 'de-AT')],
    ['action', (parts) => withField(parts, 'action', 'preview_translation')],
    ['char_limit', (parts) => withField(parts, 'char_limit', '31')],
    ['source_lang', (parts) => withField(parts, 'source_lang', 'ja')],
    ['glossary', (parts) => withField(parts, 'glossary', '{"Corwin":"Corvin"}')],
    ['metadata', (parts) => withField(parts, 'metadata', '{"external_id":"8"}')],
    [
      'strategy',
      (parts) =>
        withField(parts, 'glossary_strategy', fieldOf(parts, 'glossary_strategy') === 'skip' ? 'replace' : 'skip'),
    ],
    [
      'text instead of a file or the other way round',
      (parts) =>
        parts.map((part) =>
          !isSource(part)
            ? part
            : plain(part)
              ? { ...part, name: 'file', fileName: 'x.txt' }
              : { name: 'text', value: part.value },
        ),
    ],
  ];
  const [what, change] = changes[choose(changes.length)] as (typeof changes)[number];
  return { request: { ...request, parts: change([...request.parts]) }, what };
}

async function sendRaw(app: TestApp, key: string, idempotencyKey: string, request: RawRequest): Promise<Answer> {
  const body = Buffer.from(
    `${request.parts.map((part) => `--${request.boundary}\r\n${disposition(part)}\r\n\r\n${part.value}\r\n`).join('')}--${request.boundary}--\r\n`,
  );
  return await app.call('POST', '/api/v1/tasks', {
    key,
    headers: {
      'content-type': `multipart/form-data; boundary="${request.boundary}"`,
      'idempotency-key': idempotencyKey,
    },
    body: Uint8Array.from(body),
  });
}

function disposition({ name, fileName }: RawPart): string {
  return `Content-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}`;
}

function chooser(choices: Iterator<number>): (below: number) => number {
  return (below) => (choices.next().value as number) % below;
}

const isSource = (part: RawPart): boolean => part.name === 'text' || part.fileName !== undefined;
const fieldOf = (parts: RawPart[], name: string): string | undefined => parts.find((part) => part.name === name)?.value;

function withField(parts: RawPart[], name: string, value: string): RawPart[] {
  return [...parts.filter((part) => part.name !== name), { name, value }];
}
