/**
 * Opens a Word document and finds its blocks: body, with each footnote or endnote after the paragraph that refers to it,
 * then headers and footers. Comments are no part of the book.
 */
import { type Archive, openArchive } from '../archive/archive.ts';
import { type BlockKind, countCharacters } from '../document.ts';
import { type FlowBlock, type FlowPart, takeBlock } from '../flow/flow-part.ts';
import { countItems } from '../flow/inline-items.ts';
import { childElements, firstElement, type MarkupElement } from '../markup/markup.ts';
import { parseXml } from '../markup/xml.ts';
import { SkipTally } from '../skip-tally.ts';
import { sourceFault } from '../source-faults.ts';
import { countDocxText } from './docx-text.ts';
import { headingLevels } from './heading-levels.ts';
import { ParagraphReader } from './paragraph-items.ts';

export interface DocxSource {
  archive: Archive;
  parts: FlowPart[];
  blocks: FlowBlock[];
  skipped: SkipTally;
  textCharacters: number;
  hasRuby: boolean;
  imageCount: number;
}

/** @throws BAD_REQUEST UNREADABLE_SOURCE, the XML_ and the ARCHIVE_ reasons */
export function openDocx(bytes: Uint8Array): DocxSource {
  const archive = openArchive(bytes);
  const main = readPart(archive, 'word/document.xml');
  if (main === undefined) throw sourceFault('UNREADABLE_SOURCE', 'The document has no word/document.xml.');
  const body = firstElement(main.tree.root, 'body');
  if (body === undefined) throw sourceFault('UNREADABLE_SOURCE', 'The document has no body.');
  main.body = body;
  const reader = new DocxReader(headingLevels(archive));
  const parts = [main];
  for (const [name, tag] of [
    ['word/footnotes.xml', 'w:footnote'],
    ['word/endnotes.xml', 'w:endnote'],
  ] as const) {
    const part = readPart(archive, name);
    if (part === undefined) continue;
    parts.push(part);
    reader.addNotes(part, tag);
  }
  reader.readPart(main, body);
  reader.readRemainingNotes();
  for (const entry of archive.entries) {
    if (!/^word\/(?:header|footer)\d*\.xml$/.test(entry.name)) continue;
    const part = readPart(archive, entry.name) as FlowPart;
    parts.push(part);
    reader.readPart(part, part.tree.root);
  }
  const comments = readPart(archive, 'word/comments.xml');
  if (comments !== undefined) reader.skip(comments.tree.root, 'hidden');
  const { blocks, skipped, textCharacters, hasRuby } = reader;
  const imageCount = archive.entries.filter(({ name }) =>
    /^word\/media\/.+\.(?:png|jpe?g|gif|bmp|svg|tiff?|webp|emf|wmf)$/i.test(name),
  ).length;
  return { archive, parts, blocks, skipped, textCharacters, hasRuby, imageCount };
}

function readPart(archive: Archive, name: string): FlowPart | undefined {
  const bytes = archive.read(name);
  return bytes === undefined ? undefined : { name, tree: parseXml(bytes, { part: name }), body: undefined };
}

class DocxReader {
  readonly blocks: FlowBlock[] = [];
  readonly skipped = new SkipTally();
  textCharacters = 0;
  hasRuby = false;
  private readonly levels: ReadonlyMap<string, number>;
  private readonly notes = new Map<string, { part: FlowPart; element: MarkupElement }>();
  private readonly paragraphs = new Map<FlowPart, ParagraphReader>();

  constructor(levels: ReadonlyMap<string, number>) {
    this.levels = levels;
  }

  addNotes(part: FlowPart, tag: 'w:footnote' | 'w:endnote'): void {
    this.textCharacters += countDocxText(part.tree.root);
    for (const child of part.tree.root.children) {
      if (child.kind === 'text') this.skipped.add('whitespace', countCharacters(child.text));
      else if (child.name === tag) this.notes.set(`${tag} ${child.attributes['w:id']}`, { part, element: child });
      else this.skipped.add('markup', countDocxText(child));
    }
  }

  readPart(part: FlowPart, root: MarkupElement): void {
    this.textCharacters += countDocxText(root);
    this.walk(root, part);
  }

  readRemainingNotes(): void {
    for (const { part, element } of this.notes.values()) this.walk(element, part);
    this.notes.clear();
  }

  skip(root: MarkupElement, reason: 'hidden'): void {
    const characters = countDocxText(root);
    this.textCharacters += characters;
    this.skipped.add(reason, characters);
  }

  private walk(element: MarkupElement, part: FlowPart): void {
    for (const child of element.children) {
      if (child.kind === 'text') this.skipped.add('whitespace', countCharacters(child.text));
      else if (child.name === 'w:p') this.takeParagraph(child, part);
      else if (child.name === 'mc:Fallback') this.skipped.add('markup', countDocxText(child));
      // Deleted rows and paragraphs, and tables of properties, which hold no text.
      else if (child.name === 'w:del' || child.name === 'w:moveFrom') this.skipped.add('hidden', countDocxText(child));
      else this.walk(child, part);
    }
  }

  private takeParagraph(paragraph: MarkupElement, part: FlowPart): void {
    let reader = this.paragraphs.get(part);
    if (reader === undefined) {
      reader = new ParagraphReader(part.tree.source, this.skipped);
      this.paragraphs.set(part, reader);
    }
    const read = reader.read(paragraph);
    this.hasRuby ||= read.hasRuby;
    const level = this.levelOf(paragraph);
    const kind = read.inContents ? 'label' : kindOf(paragraph, part, level);
    const place = {
      kind,
      level: kind === 'heading' ? level : 0,
      part,
      container: paragraph,
      baseStyle: read.baseStyle,
    };
    takeBlock(this.blocks, read.items, place, this.skipped, countItems(read.items), false);
    for (const nested of read.nested) this.walk(nested, part);
    for (const key of read.noteKeys) {
      const note = this.notes.get(key);
      if (note === undefined) continue;
      this.notes.delete(key);
      this.walk(note.element, note.part);
    }
  }

  private levelOf(paragraph: MarkupElement): number {
    const properties = childElements(paragraph, 'pPr')[0];
    if (properties === undefined) return 0;
    const outline = childElements(properties, 'outlineLvl')[0]?.attributes['w:val'];
    if (outline !== undefined && Number(outline) < 9) return Number(outline) + 1;
    const style = childElements(properties, 'pStyle')[0]?.attributes['w:val'];
    return (style === undefined ? undefined : this.levels.get(style)) ?? 0;
  }
}

function kindOf(paragraph: MarkupElement, part: FlowPart, level: number): BlockKind {
  if (/header|footer/.test(part.name)) return 'label';
  if (/notes/.test(part.name)) return 'note';
  for (let at = paragraph.parent; at !== undefined; at = at.parent) {
    if (at.name === 'w:tc') return 'cell';
    if (at.name === 'w:txbxContent') return 'caption';
  }
  if (level > 0) return 'heading';
  const properties = childElements(paragraph, 'pPr')[0];
  return properties !== undefined && childElements(properties, 'numPr').length > 0 ? 'list-item' : 'paragraph';
}
