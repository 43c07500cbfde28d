import type { Archive } from '../archive/archive.ts';
import type { ReadOptions, ReadResult } from '../document.ts';
import { elementAtPath, elementsOf, type MarkupElement, textAtPath } from '../markup/markup.ts';
import { dublinCore } from '../markup/usual-prefixes.ts';
import { parseXml } from '../markup/xml.ts';
import { officeDocument } from '../office-document.ts';
import { openDocx } from './docx-source.ts';
import { wordPrefixes } from './word-prefixes.ts';

/** @throws BAD_REQUEST UNREADABLE_SOURCE, EMBEDDED_DOCUMENT, the XML_ and the ARCHIVE_ reasons */
export function readDocx(bytes: Uint8Array, options: ReadOptions): ReadResult {
  const source = openDocx(bytes);
  const { language, ...core } = coreProperties(source.archive, source.corePart);
  const declaredLanguage = defaultLanguage(source.archive, source.stylesPart) ?? language;
  const isVertical = /<w:textDirection w:val="tb/.test(source.parts[0]?.tree.source ?? '');
  const writingMode = isVertical ? 'vertical' : 'horizontal';
  return officeDocument(source, { format: 'docx', ...core, declaredLanguage, writingMode }, options);
}

function coreProperties(archive: Archive, part: string | undefined) {
  const root = part === undefined ? undefined : rootOf(archive, part, new Map(dublinCore));
  return {
    title: textAtPath(root, 'dc:title'),
    author: textAtPath(root, 'dc:creator'),
    language: textAtPath(root, 'dc:language'),
  };
}

function rootOf(archive: Archive, part: string, prefixes: ReadonlyMap<string, string>): MarkupElement | undefined {
  const bytes = archive.read(part);
  return bytes && parseXml(bytes, { part, prefixes }).root;
}

function defaultLanguage(archive: Archive, part: string | undefined): string | undefined {
  const root = part === undefined ? undefined : rootOf(archive, part, wordPrefixes);
  const defaults = root && elementAtPath(root, 'w:docDefaults');
  return defaults && elementsOf(defaults).find(({ name }) => name === 'w:lang')?.attributes['w:val'];
}
