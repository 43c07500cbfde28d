/** One text with every feature, as pandoc, LibreOffice and calibre wrote it; made by `test/external/generated-documents.ts`. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { blocksOf } from '../../src/documents/document.ts';
import { stripInlineTags } from '../../src/inline-tags.ts';
import { assertFaithful } from './faithful.ts';
import { readDocument } from './read-and-write.ts';

const folder = new URL('./fixtures/generated/', import.meta.url);
const phrases = [
  'Nobody came to see it off',
  'By the harbour clock.',
  'With a second paragraph.',
  'And I did not.',
  'A box with a paragraph.',
  'the tide comes in',
  'A word that sailors use.',
  'Marigold',
  'שלום',
];

for (const name of readdirSync(folder).filter((file) => !/^changes|\.png$/.test(file))) {
  test(`${name} is read, written unchanged, translated and read again`, () => {
    const bytes = readFileSync(new URL(name, folder));
    const texts = blocksOf(readDocument(bytes, { fileName: name }).document).map((block) =>
      stripInlineTags(block.text),
    );
    for (const phrase of phrases)
      assert.ok(
        texts.some((text) => text.includes(phrase)),
        phrase,
      );
    assertFaithful(bytes, name);
    assertFaithful(bytes, name, 'ar');
  });
}
