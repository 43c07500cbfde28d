import type { Archive } from '../archive/archive.ts';
import { assembleDocument } from '../assemble-document.ts';
import type { ReadOptions, ReadResult } from '../document.ts';
import { flowSections } from '../flow/flow-part.ts';
import { elementAtPath, elementsOf, textOf } from '../markup/markup.ts';
import { dublinCore } from '../markup/usual-prefixes.ts';
import { parseXml } from '../markup/xml.ts';
import { changesAccepted, objectsLeft } from '../office-warnings.ts';
import { openDocx } from './docx-source.ts';
import { wordPrefixes } from './word-prefixes.ts';

/** @throws BAD_REQUEST UNREADABLE_SOURCE, EMBEDDED_DOCUMENT, the XML_ and the ARCHIVE_ reasons */
export function readDocx(bytes: Uint8Array, options: ReadOptions): ReadResult {
  const source = openDocx(bytes);
  const core = coreProperties(source.archive, source.corePart);
  const main = source.parts[0];
  const facts = {
    format: 'docx' as const,
    encoding: undefined,
    title: core.title,
    author: core.author,
    declaredLanguage: defaultLanguage(source.archive, source.stylesPart) ?? core.language,
    writingMode: /<w:textDirection w:val="tb/.test(main?.tree.source ?? '')
      ? ('vertical' as const)
      : ('horizontal' as const),
    hasRuby: source.hasRuby,
    imageCount: source.imageCount,
    textCharacters: source.textCharacters,
  };
  return {
    document: assembleDocument(facts, flowSections(source.blocks), source.skipped, options.charLimit),
    warnings: [...changesAccepted(source.trackedChanges), ...objectsLeft(source.embeddedObjects)],
  };
}

function coreProperties(
  archive: Archive,
  part: string | undefined,
): {
  title: string | undefined;
  author: string | undefined;
  language: string | undefined;
} {
  const bytes = part === undefined ? undefined : archive.read(part);
  const root =
    part === undefined || bytes === undefined
      ? undefined
      : parseXml(bytes, { part, prefixes: new Map(dublinCore) }).root;
  const value = (name: string) => {
    const element = root === undefined ? undefined : elementAtPath(root, name);
    return element === undefined ? undefined : textOf(element).trim() || undefined;
  };
  return { title: value('dc:title'), author: value('dc:creator'), language: value('dc:language') };
}

function defaultLanguage(archive: Archive, part: string | undefined): string | undefined {
  const bytes = part === undefined ? undefined : archive.read(part);
  if (part === undefined || bytes === undefined) return undefined;
  const defaults = elementAtPath(parseXml(bytes, { part, prefixes: wordPrefixes }).root, 'w:docDefaults');
  if (defaults === undefined) return undefined;
  for (const element of elementsOf(defaults)) if (element.name === 'w:lang') return element.attributes['w:val'];
  return undefined;
}
