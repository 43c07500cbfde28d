/** A text is read in pieces, wherever the network cuts it: what arrives is what was sent, or it is refused as a whole. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../src/errors.ts';
import { readUpload } from '../../src/http/upload/read-upload.ts';
import { uploadLimits } from '../../src/http/upload/upload-limits.ts';
import { defaultLimits } from '../../src/limits.ts';

const json = 'application/json';
const urlencoded = 'application/x-www-form-urlencoded';
const boundary = 'toledo-pieces-4f1c';

async function received(type: string, chunks: Uint8Array[]): Promise<{ text?: string; reason?: unknown }> {
  const stream = Readable.from(chunks, { objectMode: false });
  const options = {
    limits: uploadLimits(defaultLimits),
    takesText: true,
    sink: async () => assert.fail('there is no file'),
    discard: async () => {},
  };
  try {
    const { text, fields } = await readUpload({ headers: { 'content-type': type }, stream }, options);
    assert.deepEqual(Object.fromEntries(fields), { action: 'translation', target_lang: 'de' });
    return { text: Buffer.from(text ?? []).toString() };
  } catch (error) {
    if (error instanceof AppError) return { reason: error.details?.reason };
    throw error;
  }
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => bytes.subarray(from, at[i])).filter(({ length }) => length > 0);
}

/** Each character as it is, or as any of the escapes that JSON has for it. */
function written(text: string, ways: readonly number[]): string {
  return Array.from(text, (character, i) => {
    const plain = JSON.stringify(character).slice(1, -1);
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    const escaped = units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
    return [plain, escaped, escaped.toUpperCase().replaceAll('\\U', '\\u')][(ways[i % ways.length] ?? 0) % 3];
  }).join('');
}

const character = fc.constantFrom(...'ab\\"/\n\t\u0001é第🙂𝔸\u2028\ufeff'.split(/(?:)/u));
const texts = fc.array(character, { minLength: 1, maxLength: 40 }).map((all) => all.join(''));
const places = fc.array(fc.nat(400), { maxLength: 30 });

test('JSON text arrives as it was, however it is escaped and wherever it is cut', async () => {
  const ways = fc.array(fc.nat(2), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(texts, ways, places, async (text, way, at) => {
      const body = `{"action":"translation","text" : "${written(text, way)}","target_lang":"de"}`;
      assert.equal(JSON.parse(body).text, text);
      assert.deepEqual(await received(json, cut(Buffer.from(body), at)), { text });
    }),
    { numRuns: 400 },
  );
});

test('text of a form arrives as it was, wherever it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(texts, places, async (text, at) => {
      const pairs = { action: 'translation', text, target_lang: 'de' };
      const encoded = Buffer.from(new URLSearchParams(pairs).toString());
      assert.deepEqual(await received(urlencoded, cut(encoded, at)), { text });
      const parts = Object.entries(pairs).map(
        ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      );
      const form = Buffer.from(`${parts.join('')}--${boundary}--\r\n`);
      assert.deepEqual(await received(`multipart/form-data; boundary=${boundary}`, cut(form, at)), { text });
    }),
    { numRuns: 200 },
  );
});

test('text that is no JSON string, no UTF-8 or half a character is refused wherever it is cut', async () => {
  const wrong: [content: string | Buffer, reason: string][] = [
    ['a\nb', 'MALFORMED_BODY'],
    ['a\\xb', 'MALFORMED_BODY'],
    ['a\\u12g4', 'MALFORMED_BODY'],
    ['a\\u0000b', 'NOT_TEXT'],
    ['a\\ud83d', 'INVALID_ENCODING'],
    ['a\\ud83db', 'INVALID_ENCODING'],
    ['\\ude42a', 'INVALID_ENCODING'],
    [Buffer.from([0x61, 0xff, 0x62]), 'INVALID_ENCODING'],
    [Buffer.from([0x61, 0xe7, 0xac]), 'INVALID_ENCODING'],
  ];
  for (const [content, reason] of wrong) {
    const body = Buffer.concat([
      Buffer.from('{"action":"translation","text":"'),
      Buffer.from(content as string),
      Buffer.from('","target_lang":"de"}'),
    ]);
    for (let at = 0; at < body.length; at += 1)
      assert.deepEqual(await received(json, cut(body, [at])), { reason }, `${content} cut at ${at}`);
  }
});

test('a second text is refused, whatever it is', async () => {
  for (const second of ['"b"', '5', 'true']) {
    for (const members of [`"text":"a","text":${second}`, `"text":${second},"text":"a"`]) {
      const body = Buffer.from(`{"action":"translation",${members},"target_lang":"de"}`);
      assert.deepEqual(await received(json, [body]), { reason: 'DUPLICATE_FIELD' }, members);
    }
  }
});

test('a text sent byte by byte arrives whole', async () => {
  const text = 'Ночью в порту было тихо.\n'.repeat(400);
  const body = Buffer.from(JSON.stringify({ action: 'translation', text, target_lang: 'de' }));
  assert.deepEqual(await received(json, cut(body, Array.from(body.keys()))), { text });
});
