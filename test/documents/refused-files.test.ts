/** Files that are not books, or not as they should be: refused for what they hold and what they are called. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../src/errors.ts';
import { parseGlossary } from '../../src/glossary/glossary.ts';
import { outputFileName } from '../../src/platform/storage/content-disposition.ts';
import { hostileXml } from './hostile-xml.ts';
import { readDocument } from './read-and-write.ts';
import { smallEpub } from './small-epub.ts';
import { makeZip } from './zip-maker.ts';

function reasonOf(bytes: Uint8Array, fileName = '', options: { maxArchiveBytes?: number } = {}): unknown {
  try {
    readDocument(bytes, { fileName, ...options });
  } catch (error) {
    return error instanceof AppError && error.code === 'BAD_REQUEST' ? error.details?.reason : error;
  }
  return 'read';
}

const prose = 'The ferry left at nine. Nobody came to see it off.\n';
const foreign: [name: string, content: string][] = [
  ['a.rtf', '{\\rtf1\\ansi The ferry left.}'],
  ['a.json', '{"title": "Night Ferry", "text": "The ferry left."}'],
  ['a.csv', 'id,text\n1,The ferry left.\n'],
  ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"><text>The ferry left.</text></svg>'],
  ['a.ps', '%!PS-Adobe-3.0\n(The ferry left.) show\n'],
  ['a.tex', '\\documentclass{book}\n\\begin{document}The ferry left.\\end{document}\n'],
  ['a.srt', '1\n00:00:01,000 --> 00:00:02,000\nThe ferry left.\n'],
  ['a.eml', 'From: a@example.org\nTo: b@example.org\nSubject: Ferry\n\nThe ferry left.\n'],
];

test('files of other kinds are refused by their name and by their content', () => {
  for (const [name, content] of foreign) {
    assert.equal(reasonOf(Buffer.from(content), name), 'UNSUPPORTED_FORMAT', name);
    if (name !== 'a.csv')
      assert.equal(reasonOf(Buffer.from(content), 'novel.txt'), 'UNSUPPORTED_FORMAT', `${name} as text`);
    assert.equal(reasonOf(Buffer.from(prose), name), 'UNSUPPORTED_FORMAT', `prose as ${name}`);
  }
});

test('prose that begins like such a file is read', () => {
  for (const text of [
    `“{” is a brace. ${prose}`,
    `1\n\n${prose}`,
    `[He looks up.]\n\n${prose}`,
    `{Stage left.} ${prose}`,
    `Mara: Who is there?\n\nJon: Nobody.\n\n${prose}`,
    `"Seven," he said. ${prose}`,
  ])
    assert.equal(reasonOf(Buffer.from(text), 'novel.txt'), 'read', text);
});

test('XML that explodes or fetches is refused in every format, and in every part of a book', () => {
  const attacks = hostileXml.filter(({ reason }) => [reason].flat().includes('XML_DOCTYPE'));
  assert.equal(attacks.length, 23);
  for (const { title, fileName, bytes, reason } of attacks)
    assert.ok([reason].flat().includes(String(reasonOf(bytes(), fileName))), title);
});

test('old Word files and locked documents have reasons of their own', () => {
  const compound = (name: string) =>
    Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(1000),
      Buffer.from(name, 'utf16le'),
      Buffer.alloc(1000),
    ]);
  assert.equal(reasonOf(compound('WordDocument'), 'a.doc'), 'LEGACY_DOC');
  assert.equal(reasonOf(compound('EncryptedPackage'), 'a.docx'), 'ENCRYPTED_SOURCE');
});

test('a source of white space alone is empty', () => {
  for (const text of [' ', '\n\n\t \u3000\u00a0\n', '\ufeff \r\n'])
    assert.equal(reasonOf(Buffer.from(text), 'a.txt'), 'EMPTY_SOURCE', JSON.stringify(text));
});

test('what an archive may unpack to is limited by the setting', () => {
  const book = smallEpub({ pages: { 'a.xhtml': '<p>The ferry left.</p>' } });
  assert.equal(reasonOf(book, 'a.epub', { maxArchiveBytes: 1000 }), 'ARCHIVE_TOO_LARGE');
  assert.equal(reasonOf(book, 'a.epub', { maxArchiveBytes: 100_000 }), 'read');
});

test('an entry that nobody reads is checked too before it is copied', () => {
  const book = (liar: Parameters<typeof makeZip>[0][number]) =>
    makeZip([
      { name: 'mimetype', content: Buffer.from('application/epub+zip') },
      {
        name: 'META-INF/container.xml',
        content: Buffer.from('<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'),
      },
      {
        name: 'b.opf',
        content: Buffer.from(
          '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
        ),
      },
      { name: 'a.xhtml', content: Buffer.from('<html><body><p>The ferry left.</p></body></html>') },
      liar,
    ]);
  const honest = { name: 'extra.bin', content: Buffer.alloc(5000) };
  assert.equal(reasonOf(book(honest), 'a.epub'), 'read');
  assert.equal(reasonOf(book({ ...honest, size: 10, localSize: 10 }), 'a.epub'), 'ARCHIVE_MISMATCH');
});

test('a double extension stays together in the name of an output', () => {
  assert.equal(outputFileName('a.fb2.zip', 'en', 'fb2.zip'), 'a.en.fb2.zip');
  assert.equal(outputFileName('a.epub', 'en', 'epub'), 'a.en.epub');
  assert.equal(outputFileName('a.b.txt', 'en', 'txt'), 'a.b.en.txt');
});

test('a glossary that begins with a byte order mark is read', () => {
  const limits = { maxGlossaryBytes: 1000, maxGlossaryTerms: 10, maxTermBytes: 100 };
  assert.equal(parseGlossary('\ufeff{"ferry": "Fähre"}', limits)[0]?.target, 'Fähre');
});
