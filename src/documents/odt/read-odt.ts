import type { Archive } from '../archive/archive.ts';
import type { ReadOptions, ReadResult } from '../document.ts';
import { elementsOf, textAtPath } from '../markup/markup.ts';
import { parseXml } from '../markup/xml.ts';
import { officeDocument } from '../office-document.ts';
import { odtPrefixes } from './odt-prefixes.ts';
import { openOdt } from './odt-source.ts';

/** @throws BAD_REQUEST UNREADABLE_SOURCE, ENCRYPTED_SOURCE, the XML_ and the ARCHIVE_ reasons */
export function readOdt(bytes: Uint8Array, options: ReadOptions): ReadResult {
  const source = openOdt(bytes);
  const { language, ...meta } = metaOf(source.archive);
  const declaredLanguage = languageOf(source.archive) ?? language;
  const writingMode = isVertical(source.archive) ? 'vertical' : 'horizontal';
  return officeDocument(source, { format: 'odt', ...meta, declaredLanguage, writingMode }, options);
}

function metaOf(archive: Archive) {
  const bytes = archive.read('meta.xml');
  const root = bytes && parseXml(bytes, { part: 'meta.xml', prefixes: odtPrefixes }).root;
  const value = (name: string) => textAtPath(root, 'office:meta', name);
  return {
    title: value('dc:title'),
    author: value('dc:creator') ?? value('meta:initial-creator'),
    language: value('dc:language'),
  };
}

/** The language of the default paragraph style. */
function languageOf(archive: Archive): string | undefined {
  const bytes = archive.read('styles.xml');
  if (bytes === undefined) return undefined;
  for (const element of elementsOf(parseXml(bytes, { part: 'styles.xml', prefixes: odtPrefixes }).root)) {
    if (element.name !== 'style:text-properties') continue;
    const { 'fo:language': language, 'fo:country': country } = element.attributes;
    if (language !== undefined && language !== 'none' && language !== 'zxx') {
      return country === undefined || country === 'none' ? language : `${language}-${country}`;
    }
  }
  return undefined;
}

function isVertical(archive: Archive): boolean {
  return Buffer.from(archive.read('styles.xml') ?? []).includes('writing-mode="tb-rl"');
}
