/** What EPUB and HTML books of other programs hold that tidy samples do not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { rewriteArchive } from '../../src/documents/archive/archive-writer.ts';
import { blocksOf, type WriteOptions } from '../../src/documents/document.ts';
import { parseXmlText } from '../../src/documents/markup/xml.ts';
import { readDocument, writeDocument } from './read-and-write.ts';
import { smallEpub } from './small-epub.ts';

const partOf = (bytes: Uint8Array, name: string) => Buffer.from(openArchive(bytes).read(name) ?? []).toString('utf8');

/** Every block becomes its text in capitals. */
function shout(bytes: Uint8Array, options: Partial<WriteOptions> = {}, charLimit?: number): Uint8Array {
  const source = charLimit === undefined ? {} : { charLimit };
  const blocks = blocksOf(readDocument(bytes, source).document);
  const translations = new Map(blocks.map(({ id, text }) => [id, text.toUpperCase()]));
  const languages = { sourceLang: 'en', targetLang: 'de', variant: 'translated' } as const;
  return writeDocument(bytes, source, translations, { ...languages, ...options }).bytes;
}

const textsOf = (bytes: Uint8Array) => blocksOf(readDocument(bytes).document).map(({ text }) => text);

test('entries of the contents that the page hides are translated', () => {
  const bytes = smallEpub({
    pages: { 'a.xhtml': '<h1>One</h1><p>The ferry left.</p>' },
    nav: '<ol><li><a href="a.xhtml">One</a><ol hidden=""><li><a href="a.xhtml#x">The quay</a></li></ol></li></ol>',
  });
  assert.match(partOf(shout(bytes), 'nav.xhtml'), /THE QUAY/);
});

test('descriptions of pictures, hints and words in drawings are translated, each once', () => {
  const body =
    '<p title="A hint">The ferry <img src="a.png" alt="A ferry"/> left.</p><p><img src="b.png" alt="A ferry"/></p><svg xmlns="http://www.w3.org/2000/svg"><title>A map</title><text>North</text></svg><img src="c.png" alt="c.png"/>';
  const bytes = smallEpub({ pages: { 'a.xhtml': body } });
  assert.deepEqual(
    textsOf(bytes).filter((text) => text !== 'Start here' && text !== 'Night Ferry'),
    ['A hint', 'The ferry <1/> left.', 'A ferry', 'A map', 'North'],
  );
  const written = partOf(shout(bytes), 'a.xhtml');
  assert.equal(written.split('alt="A FERRY"').length, 3);
  for (const part of ['title="A HINT"', '<title>A MAP</title>', '<text>NORTH</text>', 'alt="c.png"'])
    assert.ok(written.includes(part), part);
  const html = Buffer.from(`<html><body>${body}</body></html>`);
  assert.match(Buffer.from(shout(html)).toString('utf8'), /alt="A FERRY".*<text>NORTH<\/text>/);
});

test('a page that is no XHTML is written as XHTML', () => {
  const broken =
    '<html><head><title>T</title></head><body><p>The ferry left<br>at <b>noon<p class=x checked>Nobody&nbsp;came & <img src=a.png> <unknown:tag>went</unknown:tag>.</body></html>';
  const bytes = smallEpub({ pages: { 'a.xhtml': broken } });
  const result = readDocument(bytes);
  assert.deepEqual(
    result.warnings.map(({ code }) => code),
    ['MALFORMED_XHTML'],
  );
  const written = partOf(shout(bytes), 'a.xhtml');
  parseXmlText(written);
  assert.match(written, /THE FERRY LEFT<br\/>AT/);
  assert.match(written, /xmlns="http:\/\/www\.w3\.org\/1999\/xhtml"/);
});

test('a preview translates the contents of its own chapters', () => {
  const bytes = smallEpub({
    pages: {
      'a.xhtml': `<h1>I</h1><p>${'The ferry left. '.repeat(20)}</p>`,
      'b.xhtml': '<h1>II</h1><p>It came back.</p>',
    },
    nav: '<ol><li><a href="a.xhtml">First: away</a></li><li><a href="b.xhtml">Second: back</a></li></ol>',
  });
  const nav = partOf(shout(bytes, {}, 100), 'nav.xhtml');
  assert.match(nav, /FIRST: AWAY/);
  assert.doesNotMatch(nav, /second/i);
});

test('the title follows with the words it is sorted by and its direction', () => {
  const bytes = smallEpub({
    pages: { 'a.xhtml': '<p>The ferry left.</p>' },
    metadata: '<meta refines="#t" property="file-as">Ferry, Night</meta>',
  });
  const opf = partOf(shout(bytes, { targetLang: 'ar' }), 'book.opf');
  assert.match(opf, /<dc:title dir="rtl" id="t">NIGHT FERRY<\/dc:title>/);
  assert.match(opf, /property="file-as">NIGHT FERRY</);
});

test('a missing mimetype is put first, stored', () => {
  const bytes = smallEpub({ pages: { 'a.xhtml': '<p>The ferry left.</p>' }, withoutMimetype: true });
  const [first] = openArchive(shout(bytes)).entries;
  assert.deepEqual([first?.name, first?.method], ['mimetype', 'stored']);
});

test('pages whose names differ in case from the manifest are found, and so are links to them', () => {
  const bytes = smallEpub({
    pages: { 'Text.xhtml': '<p>The ferry left.</p>', 'Later.xhtml': '<p>It came back.</p>' },
    hrefs: { 'Text.xhtml': 'text.XHTML', 'Later.xhtml': 'later.xhtml' },
    nav: '<ol><li><a href="TEXT.xhtml">One</a></li><li><a href="LATER.xhtml">Two</a></li></ol>',
  });
  assert.ok(textsOf(bytes).includes('The ferry left.'));
  assert.match(partOf(shout(bytes), 'Text.xhtml'), /THE FERRY LEFT/);
  assert.doesNotMatch(partOf(shout(bytes, {}, 10), 'nav.xhtml'), /two/i);
});

test('a book of drawings alone is read', () => {
  const bytes = smallEpub({
    pages: { 'a.svg': '<svg xmlns="http://www.w3.org/2000/svg"><text>The ferry <tspan>left</tspan>.</text></svg>' },
  });
  assert.ok(textsOf(bytes).includes('left'));
  assert.match(partOf(shout(bytes), 'a.svg'), /<text>THE FERRY<tspan>LEFT<\/tspan>/);
});

test('every output is a book of its own: identifier, source, date and title', () => {
  const bytes = smallEpub({ pages: { 'a.xhtml': '<p>The ferry left.</p>' } });
  const edition = { id: 'task_1', modifiedAt: new Date('2026-11-15T10:00:00.500Z') };
  const packages = (['translated', 'bilingual'] as const).map((variant) =>
    partOf(shout(bytes, { variant, edition }), 'book.opf'),
  );
  const ids = packages.map((opf) => /<dc:identifier id="uid">([^<]+)</.exec(opf)?.[1]);
  assert.equal(new Set([...ids, 'urn:isbn:9780000000002', undefined]).size, 4);
  for (const opf of packages) {
    assert.match(opf, /<dc:source>urn:isbn:9780000000002<\/dc:source>/);
    assert.match(opf, /dcterms:modified">2026-11-15T10:00:00Z</);
  }
  assert.match(packages[0] ?? '', />NIGHT FERRY \(Deutsch\)<\/dc:title>/);
  assert.match(packages[1] ?? '', /\(English – Deutsch\)<\/dc:title>/);
  // A retry of the same task writes the same bytes, another task does not.
  assert.deepEqual(shout(bytes, { edition }), shout(bytes, { edition }));
  assert.notDeepEqual(shout(bytes, { edition }), shout(bytes, { edition: { ...edition, id: 'task_2' } }));
});

test('obfuscated fonts follow the new identifier', () => {
  const uuid = 'urn:uuid:5e0a4a64-6d3e-4a3e-9d54-0d6c1f2f7a01';
  const font = Uint8Array.from({ length: 2000 }, (_, i) => i % 251);
  const encryption = `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="http://ns.adobe.com/pdf/enc#RC"/><enc:CipherData><enc:CipherReference URI="f.otf"/></enc:CipherData></enc:EncryptedData></encryption>`;
  const mix = (bytes: Uint8Array, id: string) => {
    const key = Buffer.from(id.replace('urn:uuid:', '').replaceAll('-', ''), 'hex');
    return bytes.map((byte, i) => (i < 1024 ? byte ^ (key[i % 16] ?? 0) : byte));
  };
  const plain = smallEpub({
    pages: { 'a.xhtml': '<p>The ferry left.</p>' },
    entries: { 'f.otf': mix(font, uuid), 'META-INF/encryption.xml': Buffer.from(encryption) },
  });
  const bytes = replaceText(plain, 'urn:isbn:9780000000002', uuid);
  const written = shout(bytes, { edition: { id: 'task_1', modifiedAt: new Date(0) } });
  const id = /<dc:identifier id="uid">([^<]+)</.exec(partOf(written, 'book.opf'))?.[1] ?? '';
  assert.notEqual(id, uuid);
  assert.deepEqual(mix(Uint8Array.from(openArchive(written).read('f.otf') ?? []), id), font);
});

function replaceText(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const archive = openArchive(bytes);
  const opf = partOf(bytes, 'book.opf').replace(from, to);
  return rewriteArchive(archive, { replace: new Map([['book.opf', Buffer.from(opf)]]) });
}
