import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { uploadLimits } from '../../src/http/upload/upload-limits.ts';
import { defaultLimits } from '../../src/limits.ts';
import { startUploadServer, type UploadAnswer, type UploadServer } from '../support/upload-server.ts';

let server: UploadServer;
before(async () => {
  server = await startUploadServer();
});
after(async () => {
  assert.deepEqual(server.unexpected, []);
  assert.deepEqual(server.temporaryFiles(), []);
  assert.deepEqual(await server.storedObjects(), []);
  await server.close();
});

const boundary = '----toledo-form-7d1f2a90c4b8';
const form = (...parts: string[]) =>
  `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`;
const field = (name: string, value: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
const file = (parameters: string, content = 'Once upon a time', headers = '') =>
  `Content-Disposition: form-data; ${parameters}\r\n${headers}\r\n${content}`;

async function send(body: string | Uint8Array, type = `multipart/form-data; boundary=${boundary}`, headers = {}) {
  const response = await fetch(server.url, { method: 'POST', body, headers: { 'content-type': type, ...headers } });
  return { status: response.status, ...((await response.json()) as UploadAnswer) };
}

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

test('a form sent by fetch arrives whole, in any script', async () => {
  const content = randomBytes(300_000);
  const data = new FormData();
  data.append('action', 'translation');
  data.append('text_in_between', 'línea\r\n第二行 🙂 "quoted" %41 + &');
  data.append('file', new File([content], '我的 "小说" 第1章.epub', { type: 'application/epub+zip' }));
  data.append('empty', '');
  data.append('glossary', new Blob(['{"a":"b"}'], { type: 'application/json' }));
  const response = await fetch(server.url, { method: 'POST', body: data });
  const answer = (await response.json()) as UploadAnswer;
  assert.equal(response.status, 201);
  assert.deepEqual(answer.fields, {
    action: 'translation',
    text_in_between: 'línea\r\n第二行 🙂 "quoted" %41 + &',
    empty: '',
    glossary: '{"a":"b"}',
  });
  assert.equal(answer.file?.fileName, '我的 "小说" 第1章.epub');
  assert.equal(answer.file?.stored.sizeBytes, content.length);
  assert.equal(answer.file?.stored.sha256, sha256(content));
});

test('a form sent by curl -F arrives whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toledo-curl-'));
  const content = randomBytes(2_000_001);
  const path = join(folder, 'Çok güzel "kitap".txt');
  writeFileSync(path, content);
  writeFileSync(join(folder, 'terms.json'), '{"dragon":"龙"}');
  const { stdout } = await promisify(execFile)('curl', [
    '-sS',
    '-F',
    'action=translation',
    '-F',
    `book=@"${path.replaceAll('"', '\\"')}"`,
    '-F',
    `glossary=<${folder}/terms.json`,
    '-F',
    'char_limit=3000',
    server.url,
  ]);
  const answer: UploadAnswer = JSON.parse(stdout);
  assert.deepEqual(answer.fields, { action: 'translation', glossary: '{"dragon":"龙"}', char_limit: '3000' });
  assert.equal(answer.file?.fieldName, 'book');
  assert.equal(answer.file?.fileName, 'Çok güzel "kitap".txt');
  assert.equal(answer.file?.stored.sha256, sha256(content));
  rmSync(folder, { recursive: true });
});

test('every valid hand-made form is understood', async (context) => {
  const table: [what: string, body: string, expected: Pick<UploadAnswer, 'fields'> & { file?: object }][] = [
    ['no parts', form(), { fields: {} }],
    ['an empty field', form(field('text', '')), { fields: { text: '' } }],
    ['a line end before the first boundary', `\r\n${form(field('a', '1'))}`, { fields: { a: '1' } }],
    ['no line end after the last boundary', form(field('a', '1')).trimEnd(), { fields: { a: '1' } }],
    ['spaces after a boundary', form(field('a', '1')).replace(boundary, `${boundary} \t`), { fields: { a: '1' } }],
    [
      'boundary-like content',
      form(field('a', '\r\n--\r\n----toledo-form\r\n')),
      { fields: { a: '\r\n--\r\n----toledo-form\r\n' } },
    ],
    ['line ends in a value', form(field('a', '\r\n\n\r')), { fields: { a: '\r\n\n\r' } }],
    ['names without quotes', form('content-disposition:form-data;name=a\r\n\r\n1'), { fields: { a: '1' } }],
    ['capitals', form('CONTENT-DISPOSITION: Form-Data; NAME="a"\r\n\r\n1'), { fields: { a: '1' } }],
    ['headers we do not need', form(`X-Any: x\r\nContent-Length: 1\r\n${field('a', '1')}`), { fields: { a: '1' } }],
    [
      'an explicit charset',
      form(`Content-Type: text/plain; charset="UTF-8"\r\n${field('a', 'é')}`),
      { fields: { a: 'é' } },
    ],
    [
      'an identity transfer encoding',
      form(`Content-Transfer-Encoding: 8bit\r\n${field('a', 'é')}`),
      { fields: { a: 'é' } },
    ],
    [
      'a file without a file name',
      form(file('name="file"')),
      { fields: {}, file: { fieldName: 'file', fileName: 'file' } },
    ],
    [
      'a file under another name',
      form(file('name="novel"; filename="a.txt"')),
      { fields: {}, file: { fieldName: 'novel', fileName: 'a.txt' } },
    ],
    [
      'a charset of a file',
      form(file('name=file; filename=a.txt', 'x', 'Content-Type: text/plain; charset=Shift_JIS\r\n')),
      { fields: {}, file: { fileName: 'a.txt' } },
    ],
    [
      'a Windows path',
      form(file('name="file"; filename="C:\\books\\new\\a.txt"')),
      { fields: {}, file: { fileName: 'a.txt' } },
    ],
    [
      'a path that climbs',
      form(file('name="file"; filename="../../etc/passwd"')),
      { fields: {}, file: { fileName: 'passwd' } },
    ],
    ['only dots', form(file('name="file"; filename=".."')), { fields: {}, file: { fileName: 'file' } }],
    [
      'an escaped quote',
      form(file('name="file"; filename="a\\"b.txt"')),
      { fields: {}, file: { fileName: 'a"b.txt' } },
    ],
    [
      'a percent-encoded line end',
      form(file('name="file"; filename="a%0D%0Ab%22c%41.txt"')),
      { fields: {}, file: { fileName: 'ab"c%41.txt' } },
    ],
    [
      'filename*',
      form(file('name=file; filename="x.txt"; filename*=UTF-8\'de\'%E2%82%AC%20b.txt')),
      { fields: {}, file: { fileName: '€ b.txt' } },
    ],
    [
      'filename* in Latin-1',
      form(file("name=file; filename*=iso-8859-1''caf%E9.txt")),
      { fields: {}, file: { fileName: 'café.txt' } },
    ],
    [
      'control characters',
      form(file('name="file"; filename="a\x01\x7f\u202eb.txt"')),
      { fields: {}, file: { fileName: 'ab.txt' } },
    ],
    [
      'a long file name',
      form(file(`name="file"; filename="${'語'.repeat(200)}.epub"`)),
      { fields: {}, file: { fileName: `${'語'.repeat(83)}.epub` } },
    ],
    [
      'a glossary with a file name',
      form(file('name="glossary"; filename="blob"', '{}')),
      { fields: { glossary: '{}' } },
    ],
  ];
  for (const [what, body, expected] of table) {
    await context.test(what, async () => {
      const answer = await send(body);
      assert.equal(answer.status, 201, JSON.stringify(answer));
      assert.deepEqual(answer.fields, expected.fields);
      if (expected.file) assert.partialDeepStrictEqual(answer.file, expected.file);
      else assert.equal(answer.file, undefined);
    });
  }
});

test('every faulty form is refused with its reason', async (context) => {
  const one = field('a', '1');
  const table: [what: string, body: string | Uint8Array, reason: string, field?: string][] = [
    ['an empty body', '', 'INCOMPLETE_BODY'],
    ['a NUL in the text', form(field('text', 'a\0b')), 'NOT_TEXT', 'text'],
    ['another boundary', form(one).replaceAll(boundary, 'other-boundary-of-some-length-abc'), 'MALFORMED_BODY'],
    ['a preamble', `hello\r\n${form(one)}`, 'MALFORMED_BODY'],
    ['something after the end', `${form(one)}--${boundary}\r\n${one}`, 'MALFORMED_BODY'],
    ['no final boundary', form(one).slice(0, -4), 'INCOMPLETE_BODY'],
    ['a body cut in a header', form(one).slice(0, 60), 'INCOMPLETE_BODY'],
    ['bare line feeds', form(one, one).replaceAll('\r\n', '\n'), 'MALFORMED_BODY'],
    ['a boundary in the middle of a line', form(field('a', `1--${boundary}`)), 'MALFORMED_BODY'],
    ['a boundary after a bare line feed', form(field('a', `1\n--${boundary}`)), 'MALFORMED_BODY'],
    ['a boundary glued to the headers', form(one).replace('\r\n\r\n1', `\r\n\r\n--${boundary}`), 'MALFORMED_BODY'],
    ['a longer boundary', form(one).replace(`${boundary}\r\n`, `${boundary}X\r\n`), 'MALFORMED_BODY'],
    ['no headers', form('\r\n1'), 'MALFORMED_BODY'],
    ['no Content-Disposition', form('X-Any: x\r\n\r\n1'), 'MALFORMED_BODY'],
    ['another disposition', form('Content-Disposition: attachment; name="a"\r\n\r\n1'), 'MALFORMED_BODY'],
    ['no name', form('Content-Disposition: form-data\r\n\r\n1'), 'MALFORMED_BODY'],
    ['an empty name', form(field('', '1')), 'MALFORMED_BODY'],
    ['an overlong name', form(field('n'.repeat(101), '1')), 'MALFORMED_BODY'],
    ['an unclosed quote', form('Content-Disposition: form-data; name="a\r\n\r\n1'), 'MALFORMED_BODY'],
    ['two names', form('Content-Disposition: form-data; name="a"; name="b"\r\n\r\n1'), 'MALFORMED_BODY'],
    ['two dispositions', form(`Content-Disposition: form-data; name="b"\r\n${one}`), 'MALFORMED_BODY'],
    ['a header without a colon', form(`nonsense\r\n${one}`), 'MALFORMED_BODY'],
    ['a folded header', form('Content-Disposition: form-data;\r\n name="a"\r\n\r\n1'), 'MALFORMED_BODY'],
    ['a NUL in a header', form(field('a\0', '1')), 'MALFORMED_BODY'],
    ['a malformed part type', form(`Content-Type: text\r\n${one}`), 'MALFORMED_BODY'],
    ['nested parts', form(`Content-Type: multipart/mixed; boundary=x\r\n${one}`), 'MALFORMED_BODY'],
    ['a malformed filename*', form(file("name=file; filename*=UTF-8''%E2%8")), 'MALFORMED_BODY'],
    ['an ill-encoded filename*', form(file("name=file; filename*=UTF-8''%FF")), 'MALFORMED_BODY'],
    ['an unknown charset in filename*', form(file("name=file; filename*=koi8-r''%C1")), 'MALFORMED_BODY'],
    ['headers longer than 8 KiB', form(`X-Any: ${'x'.repeat(9000)}\r\n${one}`), 'MALFORMED_BODY'],
    ['an ill-encoded value', Buffer.from(form(field('a', 'caf\xe9')), 'latin1'), 'INVALID_ENCODING', 'a'],
    ['an ill-encoded header', Buffer.from(form(field('caf\xe9', '1')), 'latin1'), 'INVALID_ENCODING'],
    ['an unknown charset', form(`Content-Type: text/plain; charset=utf-16\r\n${one}`), 'INVALID_ENCODING', 'a'],
    ['base64', form(`Content-Transfer-Encoding: base64\r\n${one}`), 'INVALID_ENCODING'],
    ['a field twice', form(one, one), 'DUPLICATE_FIELD', 'a'],
    [
      'two files',
      form(file('name="file"; filename="a"'), file('name="other"; filename="b"')),
      'TOO_MANY_FILES',
      'other',
    ],
    ['an empty file', form(file('name="file"; filename="a.txt"', '')), 'EMPTY_SOURCE', 'file'],
    ['a NUL in a field', form(field('action', 'a\0')), 'INVALID_VALUE', 'action'],
    ['21 parts', form(...Array.from({ length: 21 }, (_, index) => field(`f${index}`, ''))), 'TOO_MANY_PARTS'],
    ['a fault after the file', form(file('name="file"; filename="a"'), one, one), 'DUPLICATE_FIELD', 'a'],
  ];
  for (const [what, body, reason, name] of table) {
    await context.test(what, async () => {
      const answer = await send(body);
      assert.equal(answer.status, 400, JSON.stringify(answer));
      assert.deepEqual(answer.error?.details, name === undefined ? { reason } : { field: name, reason });
    });
  }
});

test('a boundary that RFC 2046 does not allow is refused', async () => {
  for (const parameter of [
    '',
    '; boundary=',
    '; boundary=""',
    `; boundary="${'b'.repeat(71)}"`,
    '; boundary="a\tb"',
    '; boundary="a "',
    '; boundary="é"',
    '; boundary=x; boundary=y',
  ]) {
    const answer = await send(form(), `multipart/form-data${parameter}`);
    assert.equal(answer.status, 400, parameter);
    assert.equal(answer.error?.details?.reason, 'INVALID_BOUNDARY');
  }
  assert.equal((await send('--x:y--', 'multipart/form-data; charset=utf-8; boundary="x:y"')).status, 201);
  assert.equal(
    (await send(`--x\r\n${field('a', 'b--x')}\r\n--x--`, 'multipart/form-data; boundary=x')).fields?.a,
    'b--x',
  );
});

test('a content type, charset or encoding that is not accepted is 415', async () => {
  const table: [type: string, headers?: Record<string, string>][] = [
    ['text/plain'],
    ['multipart/mixed; boundary=x'],
    ['nonsense'],
    ['application/json; charset=utf-16'],
    ['application/x-www-form-urlencoded; charset=iso-8859-1'],
    ['application/json', { 'content-encoding': 'gzip' }],
  ];
  for (const [type, headers] of table) {
    const answer = await send('{}', type, headers);
    assert.equal(answer.status, 415, type);
    assert.equal(answer.error?.code, 'UNSUPPORTED_MEDIA_TYPE');
  }
});

test('JSON fields arrive as the strings a form would have brought', async () => {
  const body =
    '\ufeff { "text" : "a\\"\\\\ \\u00e9 \\ud83d\\ude42" ,"char_limit":3000,"glossary":{"a":"b","a":{"x":["]}\\""]}},\n"metadata":{}, "flag":true,"__proto__":"p","big":9007199254740993}';
  assert.deepEqual(await send(body, 'application/json'), {
    status: 201,
    fields: {
      text: 'a"\\ é 🙂',
      char_limit: '3000',
      glossary: '{"a":"b","a":{"x":["]}\\""]}}',
      metadata: '{}',
      flag: 'true',
      ['__proto__']: 'p',
      big: '9007199254740993',
    },
  });
  assert.deepEqual((await send('{}', 'application/json;charset=UTF-8')).fields, {});
});

test('faulty JSON is refused with its reason', async () => {
  const table: [body: string | Uint8Array, reason: string, field?: string][] = [
    ['', 'MALFORMED_BODY'],
    ['[]', 'MALFORMED_BODY'],
    ['null', 'MALFORMED_BODY'],
    ['{"a":1', 'MALFORMED_BODY'],
    ["{'a':1}", 'MALFORMED_BODY'],
    ['{"a":"1"}{}', 'MALFORMED_BODY'],
    ['{"a":"1","a":"2"}', 'DUPLICATE_FIELD', 'a'],
    ['{"a":"1","\\u0061":"2"}', 'DUPLICATE_FIELD', 'a'],
    ['{"char_limit":null}', 'INVALID_VALUE', 'char_limit'],
    ['{"text":["a"]}', 'INVALID_VALUE', 'text'],
    ['{"text":"\\ud800"}', 'INVALID_ENCODING', 'text'],
    ['{"file":"x"}', 'FILE_NEEDS_MULTIPART', 'file'],
    [Buffer.from('{"a":"\xe9"}', 'latin1'), 'INVALID_ENCODING'],
    [`{${Array.from({ length: 21 }, (_, index) => `"f${index}":1`)}}`, 'TOO_MANY_PARTS'],
    ['['.repeat(1_000_000), 'MALFORMED_BODY'],
  ];
  for (const [body, reason, name] of table) {
    const answer = await send(body, 'application/json');
    assert.equal(answer.status, 400, String(body).slice(0, 100));
    assert.deepEqual(answer.error?.details, name === undefined ? { reason } : { field: name, reason });
  }
});

test('an object in JSON may have the length of its field, and is read no further', async () => {
  const limit = uploadLimits(defaultLimits).fieldBytes;
  const longest = `{${' '.repeat(limit - 2)}}`;
  assert.deepEqual((await send(`{"metadata":${longest}}`, 'application/json')).fields, { metadata: longest });
  const endless = `{"metadata":{${' '.repeat(limit)}`;
  const answer = await send(endless, 'application/json');
  assert.equal(answer.status, 413, 'an answer of 400 would mean that its end was looked for');
  assert.deepEqual(answer.error?.details, { field: 'metadata', limit_bytes: limit });
});

test('urlencoded fields are decoded exactly, and faulty ones are refused', async () => {
  const type = 'application/x-www-form-urlencoded';
  assert.deepEqual((await send('text=a+b%2Bc%26%3D&&empty=&raw=日本&x=1=2&', type)).fields, {
    text: 'a b+c&=',
    empty: '',
    raw: '日本',
    x: '1=2',
  });
  assert.deepEqual((await send(new URLSearchParams({ text: 'ä\r\n🙂' }).toString(), `${type}; charset=utf-8`)).fields, {
    text: 'ä\r\n🙂',
  });
  const table: [body: string | Uint8Array, reason: string, field?: string][] = [
    ['a=%', 'INVALID_ENCODING', 'a'],
    ['a=%zz', 'INVALID_ENCODING', 'a'],
    ['a=%ff', 'INVALID_ENCODING', 'a'],
    ['%ff=1', 'INVALID_ENCODING'],
    ['a=1&a=2', 'DUPLICATE_FIELD', 'a'],
    ['a', 'MALFORMED_BODY'],
    ['=1', 'MALFORMED_BODY'],
    ['file=x', 'FILE_NEEDS_MULTIPART', 'file'],
    [Array.from({ length: 10_000 }, (_, index) => `f${index}=1`).join('&'), 'TOO_MANY_PARTS'],
  ];
  for (const [body, reason, name] of table) {
    const answer = await send(body, type);
    assert.equal(answer.status, 400, String(body).slice(0, 100));
    assert.deepEqual(answer.error?.details, name === undefined ? { reason } : { field: name, reason });
  }
});
