/** What Word and OpenDocument texts have in common. */
import type { Archive } from './archive/archive.ts';
import { assembleDocument, type DocumentFacts } from './assemble-document.ts';
import type { DocumentWarning, ReadOptions, ReadResult } from './document.ts';
import { type FlowBlock, type FlowPart, flowSections } from './flow/flow-part.ts';
import type { FlowReader } from './flow/flow-reader.ts';
import { elementsOf, type MarkupElement, type MarkupTree } from './markup/markup.ts';
import type { UsualPrefixes } from './markup/usual-prefixes.ts';
import { parseXml } from './markup/xml.ts';

export interface OfficeSource {
  archive: Archive;
  parts: FlowPart[];
  reader: FlowReader;
  blocks: FlowBlock[];
  imageCount: number;
  /** Charts, spreadsheets and files of other programs inside; formulas have no words. */
  embeddedObjects: number;
  /** Insertions, deletions and moves that are accepted. */
  trackedChanges: number;
}

export function officeDocument(
  { blocks, reader, ...source }: OfficeSource,
  facts: Pick<DocumentFacts, 'format' | 'title' | 'author' | 'declaredLanguage' | 'writingMode'>,
  { charLimit }: ReadOptions,
): ReadResult {
  const { hasRuby, textCharacters, skipped } = reader;
  const known = { ...facts, encoding: undefined, hasRuby, imageCount: source.imageCount, textCharacters };
  return {
    document: assembleDocument(known, flowSections(blocks), skipped, charLimit),
    warnings: [...changesAccepted(source.trackedChanges), ...objectsLeft(source.embeddedObjects)],
  };
}

export function parsePart(archive: Archive, part: string | undefined, prefixes: UsualPrefixes): MarkupTree | undefined {
  const bytes = part && archive.read(part);
  return bytes ? parseXml(bytes, { part, prefixes }) : undefined;
}

export function countElements(parts: readonly FlowPart[], isCounted: (element: MarkupElement) => boolean): number {
  return parts.reduce((sum, { tree }) => sum + elementsOf(tree.root).filter(isCounted).toArray().length, 0);
}

/** Files of other programs inside a document, such as spreadsheets: they are not opened, so the partner has to know. */
function objectsLeft(count: number): DocumentWarning[] {
  if (count === 0) return [];
  const objects = count === 1 ? '1 embedded object was' : `${count} embedded objects were`;
  const message = `${objects} left as in the source: the words inside are not translated.`;
  return [{ code: 'EMBEDDED_OBJECTS_LEFT', message }];
}

function changesAccepted(count: number): DocumentWarning[] {
  if (count === 0) return [];
  const changes = count === 1 ? '1 tracked change was' : `${count} tracked changes were`;
  const message = `${changes} accepted: what was inserted is translated, what was deleted is left out.`;
  return [{ code: 'TRACKED_CHANGES_ACCEPTED', message }];
}
