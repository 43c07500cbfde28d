import type { ReadOptions, ReadResult, Translations, WriteOptions, WriteResult } from '../../src/documents/document.ts';
import { openDocument } from '../../src/documents/formats.ts';

/** @throws like `openDocument` */
export function readDocument(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  const { document, warnings } = openDocument(bytes, options);
  return { document, warnings };
}

/** Reads a source and writes it again; `source` is what it was read with before, so that the ids are the same. */
export function writeDocument(
  bytes: Uint8Array,
  source: ReadOptions,
  translations: Translations,
  options: WriteOptions,
): WriteResult {
  return openDocument(bytes, source).write(translations, options);
}
