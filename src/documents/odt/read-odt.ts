import type { ReadOptions, ReadResult } from '../document.ts';
import { elementsOf, type MarkupElement, textAtPath } from '../markup/markup.ts';
import { officeDocument, parsePart } from '../office-document.ts';
import { odtPrefixes } from './odt-prefixes.ts';
import { openOdt } from './odt-source.ts';

/** @throws BAD_REQUEST UNREADABLE_SOURCE, ENCRYPTED_SOURCE, the XML_ and the ARCHIVE_ reasons */
export function readOdt(bytes: Uint8Array, options: ReadOptions): ReadResult {
  const source = openOdt(bytes);
  const meta = parsePart(source.archive, 'meta.xml', odtPrefixes)?.root;
  const value = (name: string) => textAtPath(meta, 'office:meta', name);
  const styles = source.parts[1]?.tree;
  const facts = {
    format: 'odt',
    title: value('dc:title'),
    author: value('dc:creator') ?? value('meta:initial-creator'),
    declaredLanguage: languageOf(styles?.root) ?? value('dc:language'),
    writingMode: styles?.source.includes('writing-mode="tb-rl"') ? 'vertical' : 'horizontal',
  } as const;
  return officeDocument(source, facts, options);
}

/** The language of the default paragraph style. */
function languageOf(styles: MarkupElement | undefined): string | undefined {
  for (const { name, attributes } of styles === undefined ? [] : elementsOf(styles)) {
    const { 'fo:language': language, 'fo:country': country } = attributes;
    if (name === 'style:text-properties' && language !== undefined && language !== 'none' && language !== 'zxx')
      return country === undefined || country === 'none' ? language : `${language}-${country}`;
  }
  return undefined;
}
