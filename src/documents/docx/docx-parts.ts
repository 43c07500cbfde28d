/**
 * Where the parts of a Word document are. Their names are a habit, not a rule: some programs call the main part
 * `word/document2.xml`, so the relationships decide.
 */
import type { Archive } from '../archive/archive.ts';
import { resolvePath } from '../archive/archive-names.ts';
import { childElements } from '../markup/markup.ts';
import { parseXml } from '../markup/xml.ts';

/** A chart or a diagram, with the part that shows it and the id it refers to it with. */
interface DrawingPart {
  shownIn: string;
  id: string;
  name: string;
  isCopy: boolean;
}

/** Undefined when the archive has no main part of a text document. */
export function findDocxParts(archive: Archive) {
  const top = relationshipsOf(archive, '');
  const named = top.find(({ type }) => type === 'officeDocument')?.target;
  const main = [named, 'word/document.xml'].find((name) => name !== undefined && archive.has(name));
  if (main === undefined || !isTextDocument(archive, main)) return undefined;
  const relationships = relationshipsOf(archive, main);
  const folder = main.slice(0, main.lastIndexOf('/') + 1);
  const find = (type: string) => {
    const target = relationships.find((relationship) => relationship.type === type)?.target;
    return [target, `${folder}${type}.xml`].find((name) => name !== undefined && archive.has(name));
  };
  const margins = relationships
    .filter(({ type, target }) => /^(?:header|footer)$/.test(type) && archive.has(target))
    .map(({ target }) => target);
  const footnotes = find('footnotes');
  const endnotes = find('endnotes');
  const core = top.find(({ type }) => type === 'core-properties')?.target;
  return {
    main,
    styles: find('styles'),
    footnotes,
    endnotes,
    comments: find('comments'),
    coreProperties: [core, 'docProps/core.xml'].find((name) => name !== undefined && archive.has(name)),
    /** Headers and footers in the order of the relationships. */
    margins: [...new Set(margins)],
    /** Each once. */
    drawings: findDrawings(archive, [main, footnotes, endnotes, ...new Set(margins)]),
  };
}

function findDrawings(archive: Archive, parts: readonly (string | undefined)[]): DrawingPart[] {
  const drawings = new Map<string, DrawingPart>();
  for (const part of parts) {
    if (part === undefined) continue;
    for (const { id, type, target } of relationshipsOf(archive, part)) {
      if (!drawingTypes.has(type) || drawings.has(target) || !archive.has(target)) continue;
      drawings.set(target, { shownIn: part, id, name: target, isCopy: type === 'diagramDrawing' });
    }
  }
  return [...drawings.values()];
}

/** A diagram is stored twice: what it says, and how it was drawn last. */
const drawingTypes = new Set(['chart', 'chartEx', 'diagramData', 'diagramDrawing']);

interface Relationship {
  id: string;
  /** The last word of its address, the same in both editions of the standard. */
  type: string;
  target: string;
}

function relationshipsOf(archive: Archive, part: string): Relationship[] {
  const at = part.lastIndexOf('/') + 1;
  const name = `${part.slice(0, at)}_rels/${part.slice(at)}.rels`;
  const bytes = archive.read(name);
  if (bytes === undefined) return [];
  return childElements(parseXml(bytes, { part: name }).root, 'Relationship').flatMap(({ attributes }) => {
    const { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode } = attributes;
    if (mode === 'External') return [];
    return [{ id, type: type.slice(type.lastIndexOf('/') + 1), target: resolvePath(part, target) }];
  });
}

/** Workbooks and slides are built the same way, with other main parts. */
function isTextDocument(archive: Archive, main: string): boolean {
  const bytes = archive.read('[Content_Types].xml');
  if (bytes === undefined) return main === 'word/document.xml';
  const types = childElements(parseXml(bytes, { part: '[Content_Types].xml' }).root);
  const own = types.find(({ attributes }) => attributes.PartName?.toLowerCase() === `/${main}`.toLowerCase());
  return own?.attributes.ContentType?.includes('wordprocessingml') ?? main.startsWith('word/');
}
