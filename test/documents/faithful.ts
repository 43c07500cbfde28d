/** What is owed to a document of any program: read, written unchanged, translated and read again. */
import assert from 'node:assert/strict';
import { blocksOf } from '../../src/documents/document.ts';
import { openDocument } from '../../src/documents/formats.ts';
import { stripInlineTags, tokenizeInline } from '../../src/inline-tags.ts';
import { readDocument } from './read-and-write.ts';

/** Returns the translated file. */
export function assertFaithful(bytes: Uint8Array, fileName: string, targetLang = 'de'): Uint8Array {
  const opened = openDocument(bytes, { fileName });
  const textsOf = (output: Uint8Array) =>
    blocksOf(readDocument(output, { fileName }).document).map((block) => words(block.text));
  const source = blocksOf(opened.document);
  assert.ok(source.length > 5, `${fileName} has ${source.length} blocks`);
  const options = { sourceLang: 'en', targetLang, variant: 'translated' } as const;
  assert.deepEqual(
    textsOf(opened.write(new Map(), options).bytes),
    source.map((block) => words(block.text)),
    `${fileName} unchanged`,
  );
  const translations = new Map(source.map((block) => [block.id, mark(block.text)]));
  const written = opened.write(translations, options);
  assert.deepEqual(written.warnings ?? [], [], fileName);
  assert.deepEqual(
    textsOf(written.bytes),
    source.map((block) => words(mark(block.text))),
    `${fileName} translated`,
  );
  readDocument(opened.write(translations, { ...options, variant: 'bilingual' }).bytes, { fileName });
  return written.bytes;
}

/** Formatting may join when a language does not need it, such as the direction of a single word; the words may not. */
function words(text: string): string {
  return stripInlineTags(text).replace(/\s+/g, ' ').trim();
}

function mark(text: string): string {
  return tokenizeInline(text)
    .map((token) => (token.kind === 'text' ? token.text.replace(/\p{L}[\p{L}\p{M}]*/gu, 'x$&ž') : token.raw))
    .join('');
}
