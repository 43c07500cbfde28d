/** Elements are found by namespace and place, whatever prefix a program chose and whatever comes before them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { createArchive } from '../../src/documents/archive/archive-writer.ts';
import { blocksOf } from '../../src/documents/document.ts';
import { parseXmlText } from '../../src/documents/markup/xml.ts';
import { AppError, Bug } from '../../src/errors.ts';
import { readDocument, writeDocument } from './read-and-write.ts';
import { assertRefused } from './refusal.ts';
import { sampleDocx, sampleOdt } from './sample-office.ts';
import { smallEpub } from './small-epub.ts';
import { paragraph, smallDocx, smallFb2, smallOdt } from './small-office.ts';

const textsOf = (bytes: Uint8Array) => blocksOf(readDocument(bytes).document).map(({ text }) => text);

function shout(bytes: Uint8Array): Uint8Array {
  const translations = new Map(blocksOf(readDocument(bytes).document).map(({ id, text }) => [id, text.toUpperCase()]));
  return writeDocument(bytes, {}, translations, { sourceLang: 'en', targetLang: 'de', variant: 'translated' }).bytes;
}

/** The same archive with the text of some entries changed. */
function withEntries(bytes: Uint8Array, change: (content: string, name: string) => string): Uint8Array {
  const archive = openArchive(bytes);
  return createArchive(
    archive.entries.map(({ name }) => {
      const content = archive.read(name) ?? new Uint8Array();
      const isXml = /\.(?:xml|rels|opf|ncx)$/.test(name);
      return {
        name,
        content: isXml ? Buffer.from(change(Buffer.from(content).toString('utf8'), name)) : content,
        stored: name === 'mimetype',
      };
    }),
  );
}

const wordAddress = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** As Python's ElementTree writes it: `ns0:p` for `w:p`, in elements and attributes. */
const withPrefix = (xml: string, from: string, to: string) =>
  xml.replaceAll(`xmlns:${from}=`, `xmlns:${to}=`).replaceAll(new RegExp(`([<\\s/])${from}:`, 'g'), `$1${to}:`);

test('ODT: the body is read when styles of numbers and dates come before it, with and without a page header', () => {
  const styles =
    '<office:automatic-styles xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"><number:date-style><number:day/><number:text>. </number:text><number:month/><number:text>month</number:text></number:date-style></office:automatic-styles>';
  const small = withEntries(smallOdt('<text:p>The ferry left at <text:date>noon</text:date>.</text:p>'), (content) =>
    content.replace('<office:body>', `${styles}<office:body>`),
  );
  assert.deepEqual(textsOf(small), ['The ferry left at <1/>.']);
  const withHeader = withEntries(sampleOdt(), (content, name) =>
    name === 'content.xml'
      ? content.replace(/<office:automatic-styles>.*<\/office:automatic-styles>/, styles)
      : content,
  );
  assert.deepEqual(textsOf(withHeader), textsOf(sampleOdt()));
});

test('ODT: blanks that a program writes inside the element for blanks are no text', () => {
  const bytes = smallOdt(
    '<text:p>Two<text:s text:c="2">  </text:s>blanks<text:line-break> </text:line-break>here</text:p>',
  );
  assert.deepEqual(textsOf(bytes), ['Two blanks\nhere']);
});

test('DOCX: any prefix and none is read and written', () => {
  const usual = sampleDocx();
  const ns0 = withEntries(usual, (content) => withPrefix(content, 'w', 'ns0'));
  const bare = withEntries(smallDocx({ body: paragraph('The ferry left.') }), (content) =>
    content.includes('<w:document')
      ? content
          .replaceAll(/(<\/?)w:/g, '$1')
          .replace(`xmlns:w="${wordAddress}"`, `xmlns="${wordAddress}" xmlns:w="${wordAddress}"`)
      : content,
  );
  assert.deepEqual(textsOf(ns0), textsOf(usual));
  assert.deepEqual(readDocument(ns0).document, readDocument(usual).document);
  assert.deepEqual(textsOf(shout(ns0)), textsOf(shout(usual)));
  assert.deepEqual(textsOf(bare), ['The ferry left.']);
  assert.deepEqual(textsOf(shout(bare)), ['THE FERRY LEFT.']);
  const main = Buffer.from(openArchive(shout(ns0)).read('word/document.xml') ?? []).toString('utf8');
  assert.equal(parseXmlText(main).root.attributes['xmlns:w'], wordAddress);
  const unchanged = writeDocument(ns0, {}, new Map(), { sourceLang: 'en', targetLang: 'de', variant: 'translated' });
  for (const { name } of openArchive(ns0).entries)
    assert.deepEqual(openArchive(unchanged.bytes).read(name), openArchive(ns0).read(name), name);
});

test('ODT and FB2: any prefix is read and written', () => {
  const odt = withEntries(sampleOdt(), (content) =>
    ['office', 'text', 'table', 'style', 'fo', 'dc'].reduce((xml, name, i) => withPrefix(xml, name, `ns${i}`), content),
  );
  assert.deepEqual(readDocument(odt).document, readDocument(sampleOdt()).document);
  assert.deepEqual(textsOf(shout(odt)), textsOf(shout(sampleOdt())));
  const body = '<section><title><p>One</p></title><p>The ferry <emphasis>left</emphasis>.</p></section>';
  const plain = smallFb2({ body, annotation: '<p>A crossing.</p>' });
  const prefixed = Buffer.from(
    Buffer.from(plain)
      .toString('utf8')
      .replace('xmlns="http', 'xmlns:fb="http')
      .replaceAll(/(<\/?)(?=[A-Za-z])/g, '$1fb:'),
  );
  assert.deepEqual(readDocument(prefixed).document, readDocument(plain).document);
  assert.deepEqual(textsOf(shout(prefixed)), textsOf(shout(plain)));
});

test('EPUB: a package with a prefix on every element is read and written', () => {
  const book = { pages: { 'a.xhtml': '<h1>One</h1><p>The ferry left.</p>' } };
  const prefixed = withEntries(smallEpub(book), (content, name) =>
    name === 'book.opf'
      ? content.replace('xmlns="http', 'xmlns:opf="http').replaceAll(/(<\/?)(?=[a-z]+[\s>/])/g, '$1opf:')
      : content,
  );
  assert.deepEqual(readDocument(prefixed).document, readDocument(smallEpub(book)).document);
  assert.deepEqual(textsOf(shout(prefixed)), textsOf(shout(smallEpub(book))));
});

test('a document whose prefixes contradict each other is refused', () => {
  const bytes = withEntries(smallDocx({ body: paragraph('The ferry left.') }), (content) =>
    withPrefix(content, 'w', 'ns0').replace('xmlns:ns0=', 'xmlns:w="urn:other" xmlns:ns0='),
  );
  assertRefused(bytes, 'UNREADABLE_SOURCE', 'book.docx');
});

test('a document most of whose paragraphs no reader reaches is refused as a fault of ours, not delivered', () => {
  const far = '<text:p>The ferry left without them.</text:p>'.repeat(3);
  const odt = withEntries(smallOdt('<text:p>One.</text:p><text:p>Two.</text:p>'), (content) =>
    content.replace('</office:text>', `</office:text><office:drawing>${far}</office:drawing>`),
  );
  const docx = withEntries(smallDocx({ body: paragraph('One.') }), (content) =>
    content.replace('</w:body>', `</w:body><w:appendix>${paragraph('Two.')}${paragraph('Three.')}</w:appendix>`),
  );
  const fb2 = Buffer.from(
    Buffer.from(smallFb2({ body: '<section><p>One.</p></section>' }))
      .toString('utf8')
      .replace('</body>', '</body><appendix><p>Two.</p><p>Three.</p></appendix>'),
  );
  for (const [bytes, place] of [
    [odt, 'content.xml'],
    [docx, 'word/document.xml'],
    [fb2, 'book'],
  ] as const) {
    assert.throws(
      () => readDocument(bytes),
      (error: unknown) =>
        error instanceof AppError &&
        error.details?.reason === 'UNREADABLE_SOURCE' &&
        error.details?.place === place &&
        error.cause instanceof Bug,
    );
  }
});
