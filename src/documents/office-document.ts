/** What Word and OpenDocument texts have in common. */
import type { Archive } from './archive/archive.ts';
import { assembleDocument, type DocumentFacts } from './assemble-document.ts';
import type { ReadOptions, ReadResult } from './document.ts';
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
    warnings: warningsOf(source),
  };
}

export function parsePart(archive: Archive, part: string | undefined, prefixes: UsualPrefixes): MarkupTree | undefined {
  const bytes = part && archive.read(part);
  return bytes ? parseXml(bytes, { part, prefixes }) : undefined;
}

export function countElements(parts: readonly FlowPart[], isCounted: (element: MarkupElement) => boolean): number {
  return parts.reduce((sum, { tree }) => sum + elementsOf(tree.root).filter(isCounted).toArray().length, 0);
}

/** What the partner has to know. Files of other programs inside, such as spreadsheets, are not opened. */
function warningsOf({ trackedChanges, embeddedObjects }: Pick<OfficeSource, 'trackedChanges' | 'embeddedObjects'>) {
  const counted = (count: number, what: string) => (count === 1 ? `1 ${what} was` : `${count} ${what}s were`);
  const changes = `${counted(trackedChanges, 'tracked change')} accepted: what was inserted is translated, what was deleted is left out.`;
  const objects = `${counted(embeddedObjects, 'embedded object')} left as in the source: the words inside are not translated.`;
  return [
    ...(trackedChanges > 0 ? [{ code: 'TRACKED_CHANGES_ACCEPTED', message: changes }] : []),
    ...(embeddedObjects > 0 ? [{ code: 'EMBEDDED_OBJECTS_LEFT', message: objects }] : []),
  ];
}
