import type { Archive } from '../archive/archive.ts';
import { assembleDocument } from '../assemble-document.ts';
import type { ReadOptions, ReadResult } from '../document.ts';
import { flowSections } from '../flow/flow-part.ts';
import { elementAtPath, elementsOf, textOf } from '../markup/markup.ts';
import { parseXml } from '../markup/xml.ts';
import { changesAccepted, objectsLeft } from '../office-warnings.ts';
import { odtPrefixes } from './odt-prefixes.ts';
import { openOdt } from './odt-source.ts';

/** @throws BAD_REQUEST UNREADABLE_SOURCE, ENCRYPTED_SOURCE, the XML_ and the ARCHIVE_ reasons */
export function readOdt(bytes: Uint8Array, options: ReadOptions): ReadResult {
  const source = openOdt(bytes);
  const meta = metaOf(source.archive);
  const facts = {
    format: 'odt' as const,
    encoding: undefined,
    title: meta.title,
    author: meta.author,
    declaredLanguage: languageOf(source.archive) ?? meta.language,
    writingMode: isVertical(source.archive) ? ('vertical' as const) : ('horizontal' as const),
    hasRuby: source.hasRuby,
    imageCount: source.imageCount,
    textCharacters: source.textCharacters,
  };
  return {
    document: assembleDocument(facts, flowSections(source.blocks), source.skipped, options.charLimit),
    warnings: [...changesAccepted(source.trackedChanges), ...objectsLeft(source.embeddedObjects)],
  };
}

function metaOf(archive: Archive): { title?: string; author?: string; language?: string } {
  const bytes = archive.read('meta.xml');
  if (bytes === undefined) return {};
  const { root } = parseXml(bytes, { part: 'meta.xml', prefixes: odtPrefixes });
  const value = (name: string) => {
    const element = elementAtPath(root, 'office:meta', name);
    return element === undefined ? undefined : textOf(element).trim() || undefined;
  };
  const found = {
    title: value('dc:title'),
    author: value('dc:creator') ?? value('meta:initial-creator'),
    language: value('dc:language'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, text]) => text !== undefined));
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
