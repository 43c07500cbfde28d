/** What a source may be, seen by a partner: refused with the field and a reason, and nothing held. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { goodParts } from '../documents/hostile-archives.ts';
import { smallEpub } from '../documents/small-epub.ts';
import { paragraph, smallDocx } from '../documents/small-office.ts';
import { makeZip } from '../documents/zip-maker.ts';
import { assertError, create, creditsOf } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ role: 'api' });
const { key } = await app.account({ credits: 1_000_000 });
const wanted = { action: 'translation', target_lang: 'en', estimated_chars: 100 };
const send = (fileName: string, content: string | Uint8Array, to = app, withKey = key) =>
  create(to, withKey, wanted, { file: { content: Buffer.from(content as string), fileName } });

test('files of other kinds are refused', async () => {
  const files: [string, string][] = [
    ['a.rtf', '{\\rtf1\\ansi The ferry left.}'],
    ['a.json', '{"title": "Night Ferry", "text": "The ferry left."}'],
    ['a.csv', 'id,text\n1,The ferry left.\n'],
    ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"><text>The ferry left.</text></svg>'],
    ['a.ps', '%!PS-Adobe-3.0\n(The ferry left.) show\n'],
    ['a.tex', '\\documentclass{book}\n\\begin{document}The ferry left.\\end{document}\n'],
    ['a.srt', '1\n00:00:01,000 --> 00:00:02,000\nThe ferry left.\n'],
    ['a.eml', 'From: a@example.org\nTo: b@example.org\nSubject: Ferry\n\nThe ferry left.\n'],
  ];
  for (const [name, content] of files)
    assertError(await send(name, content), 400, 'BAD_REQUEST', { field: 'file', reason: 'UNSUPPORTED_FORMAT' }, name);
});

test('an old Word file and a locked one have reasons of their own', async () => {
  const compound = (stream: string) =>
    Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(1000),
      Buffer.from(stream, 'utf16le'),
      Buffer.alloc(1000),
    ]);
  const legacy = await send('a.doc', compound('WordDocument'));
  assertError(legacy, 400, 'BAD_REQUEST', { field: 'file', reason: 'LEGACY_DOC' });
  const locked = await send('a.docx', compound('EncryptedPackage'));
  assertError(locked, 400, 'BAD_REQUEST', { field: 'file', reason: 'ENCRYPTED_SOURCE' });
});

test('a Word document that takes its text from an embedded file is refused and says so, not called empty', async () => {
  const embedded = { 'word/chapter.html': Buffer.from('<html><body><p>The ferry left.</p></body></html>') };
  const chunk = '<w:altChunk r:id="rId9"/>';
  for (const body of [chunk, `${paragraph('One')}<w:tbl><w:tr><w:tc>${chunk}</w:tc></w:tr></w:tbl>`]) {
    const answer = await send('a.docx', smallDocx({ body, entries: embedded }));
    assertError(answer, 400, 'BAD_REQUEST', { field: 'file', reason: 'EMBEDDED_DOCUMENT' });
    assert.match(answer.body.error.message, /altChunk in word\/document\.xml/);
  }
});

test('white space alone is an empty source, and the fault names the field that was sent', async () => {
  const reason = 'EMPTY_SOURCE';
  assertError(await send('a.txt', ' \n\t\u3000\r\n'), 400, 'BAD_REQUEST', { field: 'file', reason });
  for (const as of ['json', 'multipart', 'urlencoded'] as const) {
    const answer = await create(app, key, { ...wanted, text: ' \n\t\u3000\r\n' }, { as });
    assertError(answer, 400, 'BAD_REQUEST', { field: 'text', reason }, as);
  }
});

test('faults of a text name the field text', async () => {
  const answer = await create(app, key, { ...wanted, text: '{\\rtf1\\ansi The ferry left.}' });
  assertError(answer, 400, 'BAD_REQUEST', { field: 'text', reason: 'UNSUPPORTED_FORMAT' });
});

test('an entry outside the reading order that unpacks to more than it says is refused', async () => {
  const liar = { name: 'OEBPS/unread.bin', content: Buffer.alloc(50_000), size: 10, localSize: 10 };
  const answer = await send('a.epub', makeZip([...goodParts(), liar]));
  assertError(answer, 400, 'BAD_REQUEST', { field: 'file', reason: 'ARCHIVE_MISMATCH' });
});

test('the limit of what an archive may unpack to is the one that is set', async () => {
  const book = smallEpub({ pages: { 'a.xhtml': '<p>The ferry left. Nobody came to see it off.</p>' } });
  const small = await startTestApp({ env: { TOLEDO_MAX_ARCHIVE_BYTES: '1000' }, role: 'api', beside: app });
  const refused = await send('a.epub', book, small);
  assertError(refused, 400, 'BAD_REQUEST', { field: 'file', reason: 'ARCHIVE_TOO_LARGE' });
  const accepted = await create(
    app,
    key,
    { action: 'preview_metadata', estimated_chars: 1 },
    { file: { content: Buffer.from(book), fileName: 'a.epub' } },
  );
  assert.equal(accepted.status, 201, accepted.text);
});

test('none of them held a credit', async () => {
  assert.deepEqual(await creditsOf(app, key), { balance: 1_000_000, reserved: 0, used: 0 });
});
