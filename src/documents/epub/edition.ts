/**
 * What makes an output a book of its own. Libraries take two files with the same identifier for one book and keep either.
 * So source, translation and bilingual edition each need an identifier of their own, with a date and a title that can be
 * told apart.
 */
import { createHash } from 'node:crypto';
import { escapeText } from '../../escape.ts';
import { languageName } from '../../language/languages.ts';
import type { WriteOptions } from '../document.ts';
import type { Edits } from '../markup/edits.ts';
import { childElements, elementAtPath, elementsOf, type MarkupElement, textOf } from '../markup/markup.ts';
import type { EpubPackage } from './package.ts';

/** The identifier that the package names as its own. */
export function uniqueIdentifier({ opf: { root } }: EpubPackage): MarkupElement | undefined {
  const id = root.attributes['unique-identifier'];
  const identifiers = [...elementsOf(root)].filter((element) => element.name === 'dc:identifier');
  return identifiers.find((element) => element.attributes.id === id) ?? identifiers[0];
}

/** The same for the same source, languages, variant and task: a retry must write the same bytes. */
export function editionIdentifier(original: string, options: WriteOptions): string {
  const { sourceLang, targetLang, variant, edition } = options;
  const facts = [original, sourceLang, targetLang, variant, edition?.id ?? ''];
  const hash = createHash('sha256').update(JSON.stringify(facts)).digest();
  // Version 8 of RFC 9562: 122 bits that its maker chooses.
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** `Nachtfähre (Deutsch)`: the language by its own name. */
export function editionTitle(title: string, { targetLang, sourceLang, variant }: WriteOptions): string {
  const own = languageName(targetLang, targetLang);
  return `${title} (${variant === 'bilingual' ? `${languageName(sourceLang, sourceLang)} – ${own}` : own})`;
}

export function writeEdition(epub: EpubPackage, edits: Edits, options: WriteOptions): void {
  const metadata = elementAtPath(epub.opf.root, 'metadata');
  const identifier = uniqueIdentifier(epub);
  if (metadata === undefined) return;
  if (identifier !== undefined && identifier.openEnd < identifier.closeStart) {
    const original = textOf(identifier).trim();
    edits.replace(identifier.openEnd, identifier.closeStart, editionIdentifier(original, options));
    if (identifier.attributes['opf:scheme'] !== undefined) edits.setAttribute(identifier, 'opf:scheme', 'UUID');
    dropRefinements(metadata, identifier.attributes.id, edits);
    edits.insert(identifier.end, `<dc:source>${escapeText(original)}</dc:source>`);
  }
  if (options.edition !== undefined) writeDate(epub, metadata, edits, options.edition.modifiedAt);
}

/** What was said of the old identifier, such as that it is an ISBN, is not true of the new one. */
function dropRefinements(metadata: MarkupElement, id: string | undefined, edits: Edits): void {
  for (const meta of childElements(metadata, 'meta'))
    if (id !== undefined && meta.attributes.refines === `#${id}`) edits.remove(meta.start, meta.end);
}

function writeDate(epub: EpubPackage, metadata: MarkupElement, edits: Edits, modifiedAt: Date): void {
  const date = `${modifiedAt.toISOString().slice(0, 19)}Z`;
  const isModified = ({ attributes }: MarkupElement) =>
    attributes.property === 'dcterms:modified' && attributes.refines === undefined;
  const modified = childElements(metadata, 'meta').find(isModified);
  if (modified !== undefined && modified.openEnd < modified.closeStart)
    edits.replace(modified.openEnd, modified.closeStart, date);
  else if (epub.version === 3 && modified === undefined)
    edits.insert(metadata.closeStart, `<meta property="dcterms:modified">${date}</meta>`);
  for (const element of elementsOf(metadata)) {
    const isEvent = element.name === 'dc:date' && element.attributes['opf:event'] === 'modification';
    if (isEvent && element.openEnd < element.closeStart) edits.replace(element.openEnd, element.closeStart, date);
  }
}
