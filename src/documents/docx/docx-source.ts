/**
 * Opens a Word document and finds its blocks: the body, then headers and footers. Each footnote or endnote comes after
 * the paragraph that refers to it. Comments are not part of the book.
 */

import { stripInlineTags } from '../../inline-tags.ts';
import { type Archive, openArchive } from '../archive/archive.ts';
import { type BlockKind, countCharacters } from '../document.ts';
import { type FlowBlock, type FlowPart, takeBlock } from '../flow/flow-part.ts';
import { FlowReader } from '../flow/flow-reader.ts';
import type { Mirror, Repeat } from '../flow/write-flow.ts';
import { withoutLicence } from '../licence-text.ts';
import { childElements, elementAtPath, elementsOf, type MarkupElement, type MarkupTree } from '../markup/markup.ts';
import { parseXml } from '../markup/xml.ts';
import type { OfficeSource } from '../office-document.ts';
import { sourceFault } from '../source-faults.ts';
import { findDocxParts } from './docx-parts.ts';
import { countDocxText } from './docx-text.ts';
import { countDrawnText, drawnItems, isDrawnText, isRepeatedTitle } from './drawn-text.ts';
import { headingLevels } from './heading-levels.ts';
import { ParagraphReader } from './paragraph-items.ts';
import { wordPrefixes } from './word-prefixes.ts';

export interface DocxSource extends OfficeSource {
  mirrors: (Mirror & { part: FlowPart })[];
  /** What tracked changes have taken out, by part; it is not carried into a translation. */
  deleted: { part: FlowPart; element: MarkupElement }[];
  /** Paragraphs of drawn diagrams, each with the place of the block that it repeats. */
  repeats: Repeat[];
  stylesPart: string | undefined;
  corePart: string | undefined;
}

/** @throws BAD_REQUEST UNREADABLE_SOURCE, EMBEDDED_DOCUMENT, the XML_ and the ARCHIVE_ reasons */
export function openDocx(bytes: Uint8Array): DocxSource {
  const archive = openArchive(bytes);
  const names = findDocxParts(archive);
  const main = names && readPart(archive, names.main, 'body');
  if (names === undefined || main === undefined)
    throw sourceFault('UNREADABLE_SOURCE', 'The document has no main part.');
  const body = elementAtPath(main.tree.root, 'w:body');
  if (body === undefined) throw sourceFault('UNREADABLE_SOURCE', 'The document has no body.');
  main.body = body;
  const reader = new DocxReader(headingLevels(archive, names.styles));
  const parts = [main];
  for (const [name, tag] of [
    [names.footnotes, 'w:footnote'],
    [names.endnotes, 'w:endnote'],
  ] as const) {
    const part = readPart(archive, name, 'notes');
    if (part === undefined) continue;
    parts.push(part);
    reader.addNotes(part, tag);
  }
  const drawings = names.drawings.map(({ shownIn, id, name, isCopy }) => {
    const part = readPart(archive, name, isCopy ? 'copy' : 'drawing') as DocxPart;
    parts.push(part);
    reader.addDrawing(part, `${shownIn} ${id}`);
    return part;
  });
  reader.readPart(main, body);
  reader.taken.assertMost(main.tree.root, main.name);
  for (const name of names.margins) {
    const part = readPart(archive, name, 'margin') as DocxPart;
    parts.push(part);
    reader.readPart(part, part.tree.root);
  }
  reader.readRemainingNotes();
  for (const part of drawings) if (part.role === 'copy') reader.readDrawing(part.tree.root, part);
  const comments = readPart(archive, names.comments, 'margin');
  if (comments !== undefined) reader.skip(comments.tree.root, 'hidden');
  const { skipped, textCharacters, hasRuby, mirrors, deleted } = reader;
  const trackedChanges = parts.reduce((sum, { tree }) => sum + countChanges(tree), 0);
  const blocks = withoutLicence(reader.blocks, skipped, (block) => block.part === main);
  const imageCount = archive.entries.filter(({ name }) =>
    /\/media\/.+\.(?:png|jpe?g|gif|bmp|svg|tiff?|webp|emf|wmf)$/i.test(name),
  ).length;
  return {
    archive,
    parts,
    blocks,
    skipped,
    textCharacters,
    hasRuby,
    imageCount,
    mirrors,
    deleted,
    trackedChanges,
    embeddedObjects: parts.reduce((sum, { tree }) => sum + countObjects(tree), 0),
    repeats: repeatsIn(reader.repeats, blocks),
    stylesPart: names.styles,
    corePart: names.coreProperties,
  };
}

/** What a part holds decides the kind of its blocks; its name may be anything. */
type PartRole = 'body' | 'notes' | 'margin' | 'drawing' | 'copy';

interface DocxPart extends FlowPart {
  role: PartRole;
}

function readPart(archive: Archive, name: string | undefined, role: PartRole): DocxPart | undefined {
  const bytes = name === undefined ? undefined : archive.read(name);
  if (name === undefined || bytes === undefined) return undefined;
  return { name, tree: parseXml(bytes, { part: name, prefixes: wordPrefixes }), body: undefined, role };
}

function repeatsIn(repeats: readonly { block: FlowBlock; of: FlowBlock }[], blocks: readonly FlowBlock[]): Repeat[] {
  if (repeats.length === 0) return [];
  const places = new Map(blocks.map((block, index) => [block, index]));
  return repeats.flatMap(({ block, of }) => {
    const index = places.get(of);
    return index === undefined ? [] : [{ block, index }];
  });
}

/** A move is one change, made in two places. */
function countChanges({ root, source }: MarkupTree): number {
  if (!/<w:(?:ins|del|moveTo)[\s>]/.test(source)) return 0;
  let count = 0;
  for (const element of elementsOf(root)) {
    const isChange = element.name === 'w:ins' || element.name === 'w:del' || element.name === 'w:moveTo';
    // Without anything inside it belongs to the end of a paragraph.
    if (isChange && childElements(element).length > 0) count++;
  }
  return count;
}

function countObjects({ root, source }: MarkupTree): number {
  if (!source.includes('<o:OLEObject')) return 0;
  let count = 0;
  for (const { name, attributes } of elementsOf(root))
    if (name === 'o:OLEObject' && !/^(?:Equation|MathType)/i.test(attributes.ProgID ?? '')) count++;
  return count;
}

class DocxReader extends FlowReader {
  readonly repeats: { block: FlowBlock; of: FlowBlock }[] = [];
  hasRuby = false;
  readonly mirrors: DocxSource['mirrors'] = [];
  readonly deleted: DocxSource['deleted'] = [];
  private readonly levels: ReadonlyMap<string, number>;
  private readonly notes = new Map<string, { part: DocxPart; element: MarkupElement }>();
  private readonly paragraphs = new Map<FlowPart, ParagraphReader>();
  /** Blocks of charts and diagrams by their text. */
  private readonly drawn = new Map<string, FlowBlock>();

  constructor(levels: ReadonlyMap<string, number>) {
    super(false);
    this.levels = levels;
  }

  addNotes(part: DocxPart, tag: 'w:footnote' | 'w:endnote'): void {
    this.textCharacters += countDocxText(part.tree.root);
    for (const child of part.tree.root.children) {
      if (child.kind === 'text') this.skipped.add('whitespace', countCharacters(child.text));
      else if (child.name === tag) this.notes.set(`${tag} ${child.attributes['w:id']}`, { part, element: child });
      else this.skipped.add('markup', countDocxText(child));
    }
  }

  /** `place`: the part that shows it and the id there, as every part has ids of its own. */
  addDrawing(part: DocxPart, place: string): void {
    this.textCharacters += countDrawnText(part.tree.root);
    if (part.role === 'drawing') this.notes.set(`drawing ${place}`, { part, element: part.tree.root });
  }

  readDrawing(element: MarkupElement, part: DocxPart): void {
    for (const child of element.children) {
      if (child.kind === 'text') this.skipped.add('markup', countCharacters(child.text));
      else if (isDrawnText(child)) this.takeDrawn(child, part);
      else this.readDrawing(child, part);
    }
  }

  private takeDrawn(element: MarkupElement, part: DocxPart): void {
    const { items, baseStyle } = drawnItems(element, part.tree.source, this.skipped);
    const place = { kind: 'caption' as const, level: 0, part, container: element, baseStyle };
    const taken: FlowBlock[] = [];
    const characters = takeBlock(taken, items, place, this.skipped, false);
    const [block] = taken;
    if (block === undefined) return;
    const text = stripInlineTags(block.text);
    const of = part.role === 'copy' || isRepeatedTitle(element) ? this.drawn.get(text) : undefined;
    if (of === undefined) {
      this.blocks.push(block);
      this.drawn.set(text, block);
      this.blockCharacters += characters;
    } else {
      this.repeats.push({ block, of });
      this.skipped.add('repeats-heading', characters);
    }
  }

  readPart(part: DocxPart, root: MarkupElement): void {
    this.textCharacters += countDocxText(root);
    this.walk(root, part);
  }

  readRemainingNotes(): void {
    for (const note of this.notes.values()) this.readNote(note);
    this.notes.clear();
  }

  private readNote({ part, element }: { part: DocxPart; element: MarkupElement }): void {
    if (part.role === 'drawing') this.readDrawing(element, part);
    else this.walk(element, part);
  }

  skip(root: MarkupElement, reason: 'hidden'): void {
    const characters = countDocxText(root);
    this.textCharacters += characters;
    this.skipped.add(reason, characters);
  }

  private walk(element: MarkupElement, part: DocxPart): void {
    for (const child of element.children) {
      if (child.kind === 'text') this.skipped.add('whitespace', countCharacters(child.text));
      else if (child.name === 'w:p') this.takeParagraph(child, part);
      // Its text is in another file, of any format, which would stay in the source language in the middle of the book.
      else if (child.name === 'w:altChunk')
        throw sourceFault('EMBEDDED_DOCUMENT', `Open it in Word and save it again (altChunk in ${part.name}).`);
      else if (child.name === 'mc:Fallback') {
        this.taken.add(child);
        this.skipped.add('markup', countDocxText(child));
      } else if (child.name === 'w:del' || child.name === 'w:moveFrom') {
        this.taken.add(child);
        this.skipped.add('hidden', countDocxText(child));
        this.deleted.push({ part, element: child });
      } else this.walk(child, part);
    }
  }

  private takeParagraph(paragraph: MarkupElement, part: DocxPart): void {
    const reader = this.paragraphs.get(part) ?? new ParagraphReader(part.name, part.tree.source, this.skipped);
    this.paragraphs.set(part, reader);
    const read = this.takeText(part, paragraph, () => {
      const runs = reader.read(paragraph);
      const level = this.levelOf(paragraph);
      const kind = runs.inContents ? 'label' : kindOf(paragraph, part, level);
      const nested = runs.nested.reduce((sum, element) => sum + countDocxText(element), 0);
      return {
        ...runs,
        kind,
        level: kind === 'heading' ? level : 0,
        characters: countDocxText(paragraph) - nested,
      };
    });
    this.mirrors.push(...read.mirrors.map((mirror) => ({ ...mirror, part })));
    this.deleted.push(...read.deleted.map((element) => ({ part, element })));
    this.hasRuby ||= read.ruby.length > 0;
    for (const nested of read.nested) this.walk(nested, part);
    for (const key of read.noteKeys) {
      const note = this.notes.get(key);
      if (note === undefined) continue;
      this.notes.delete(key);
      this.readNote(note);
    }
  }

  private levelOf(paragraph: MarkupElement): number {
    const properties = childElements(paragraph, 'w:pPr')[0];
    if (properties === undefined) return 0;
    const outline = childElements(properties, 'w:outlineLvl')[0]?.attributes['w:val'];
    if (outline !== undefined && Number(outline) < 9) return Number(outline) + 1;
    const style = childElements(properties, 'w:pStyle')[0]?.attributes['w:val'];
    return (style === undefined ? undefined : this.levels.get(style)) ?? 0;
  }
}

function kindOf(paragraph: MarkupElement, { role }: DocxPart, level: number): BlockKind {
  if (role === 'margin') return 'label';
  if (role === 'notes') return 'note';
  for (let at = paragraph.parent; at !== undefined; at = at.parent) {
    if (at.name === 'w:tc') return 'cell';
    if (at.name === 'w:txbxContent') return 'caption';
  }
  if (level > 0) return 'heading';
  const properties = childElements(paragraph, 'w:pPr')[0];
  return properties !== undefined && childElements(properties, 'w:numPr').length > 0 ? 'list-item' : 'paragraph';
}
