/** The book that waiting processes read: one that could not be read or translated would make nothing ready. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksOf } from '../../src/documents/document.ts';
import { openDocument } from '../../src/documents/formats.ts';
import { sampleEpub, sampleTranslation } from '../../src/documents/sample-book.ts';
import { inlineTagsOf } from '../../src/inline-tags.ts';
import { detectBookLanguage } from '../../src/language/detect-language.ts';

test('the sample is an EPUB that is read without a warning, and every text of it has a translation with the same tags', async () => {
  const { document, warnings } = openDocument(sampleEpub(), { fileName: 'sample.epub' });
  assert.equal(document.format, 'epub');
  assert.deepEqual(warnings, []);
  const texts = blocksOf(document).map(({ text }) => text);
  const translations = texts.map(sampleTranslation);
  assert.ok(texts.length > 60, String(texts.length));
  for (const [i, text] of texts.entries()) {
    assert.deepEqual(inlineTagsOf(translations[i] ?? ''), inlineTagsOf(text));
    if (/\p{L}/u.test(text)) assert.notEqual(translations[i], text);
  }
  assert.equal((await detectBookLanguage(texts))?.code, 'en');
  assert.equal((await detectBookLanguage(translations))?.code, 'de');
});
