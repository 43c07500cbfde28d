import type { ReadOptions, ReadResult } from '../document.ts';
import { elementAtPath, elementsOf, textAtPath } from '../markup/markup.ts';
import { dublinCore } from '../markup/usual-prefixes.ts';
import { officeDocument, parsePart } from '../office-document.ts';
import { openDocx } from './docx-source.ts';

/** @throws BAD_REQUEST UNREADABLE_SOURCE, EMBEDDED_DOCUMENT, the XML_ and the ARCHIVE_ reasons */
export function readDocx(bytes: Uint8Array, options: ReadOptions): ReadResult {
  const source = openDocx(bytes);
  const core = parsePart(source.archive, source.corePart, new Map(dublinCore))?.root;
  const defaults = elementAtPath(source.styles, 'w:docDefaults');
  const language = defaults && elementsOf(defaults).find(({ name }) => name === 'w:lang')?.attributes['w:val'];
  const isVertical = /<w:textDirection w:val="tb/.test(source.parts[0]?.tree.source ?? '');
  const facts = {
    format: 'docx',
    title: textAtPath(core, 'dc:title'),
    author: textAtPath(core, 'dc:creator'),
    declaredLanguage: language ?? textAtPath(core, 'dc:language'),
    writingMode: isVertical ? 'vertical' : 'horizontal',
  } as const;
  return officeDocument(source, facts, options);
}
