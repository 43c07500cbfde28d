/** What no book has is refused before it costs anything: hundreds of thousands of headings, attributes without end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDocument } from '../../src/documents/formats.ts';
import { AppError } from '../../src/errors.ts';
import { smallEpub } from '../documents/small-epub.ts';
import { smallDocx, smallFb2, smallOdt } from '../documents/small-office.ts';

const times = (count: number, make: (i: number) => string) => Array.from({ length: count }, (_, i) => make(i)).join('');

function outcomeOf(bytes: Uint8Array, fileName: string): unknown {
  try {
    return openDocument(bytes, { fileName }).document.sections.length;
  } catch (error) {
    return error instanceof AppError ? error.details?.reason : error;
  }
}

const wordHeading = '<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>H</w:t></w:r></w:p>';
const headings: Record<string, (count: number) => Uint8Array> = {
  'a.html': (count) => Buffer.from(`<html><body>${times(count, (i) => `<h2>H${i} a</h2>`)}</body></html>`),
  'a.md': (count) => Buffer.from(times(count, (i) => `# H${i} a\n\n`)),
  'a.fb2': (count) => smallFb2({ body: times(count, (i) => `<section><title><p>H${i}</p></title></section>`) }),
  'a.odt': (count) => smallOdt(times(count, (i) => `<text:h text:outline-level="1">H${i}</text:h>`)),
  'a.epub': (count) => smallEpub({ pages: { 'a.xhtml': times(count, (i) => `<h2>H${i}</h2>`) } }),
  'a.docx': (count) => smallDocx({ body: wordHeading.repeat(count) }),
};

test('more headings than any book has are refused, and as many as a long one has are read in time that grows with them', () => {
  for (const [name, make] of Object.entries(headings))
    assert.equal(outcomeOf(make(50_001), name), 'TOO_MANY_HEADINGS', name);
  // In a row they are one chapter. With its title made anew for each of them this took a minute.
  for (const [name, make] of Object.entries(headings)) assert.equal(outcomeOf(make(5_000), name), 1, name);
});

test('an element with more attributes than any is refused in every format, and tags that never end are none', () => {
  const many = times(100_000, (i) => ` a${i}="1"`);
  assert.equal(outcomeOf(Buffer.from(`<html><body><p${many}>Hello.</p></body></html>`), 'a.html'), 'XML_TOO_LARGE');
  assert.equal(
    outcomeOf(Buffer.from(`<html><body><p${times(100_000, (i) => ` a${i}`)}>Hello.</p></body></html>`), 'a.html'),
    'XML_TOO_LARGE',
  );
  assert.equal(outcomeOf(Buffer.from(`Hello <b${many}>you</b>.`), 'a.md'), 'XML_TOO_LARGE');
  assert.equal(outcomeOf(smallFb2({ body: `<section><p${many}>Hello.</p></section>` }), 'a.fb2'), 'XML_TOO_LARGE');
  assert.equal(outcomeOf(smallDocx({ body: `<w:p${many}/>` }), 'a.docx'), 'XML_TOO_LARGE');
  assert.equal(outcomeOf(Buffer.from(`<html><body><p>Hello.</p>${'<a'.repeat(200_000)}`), 'a.html'), 1);
});
