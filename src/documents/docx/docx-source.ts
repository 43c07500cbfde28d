/**
 * Opens a Word document and finds its blocks: the body, then headers and footers. Each footnote or endnote comes after
 * the paragraph that refers to it. Comments are not part of the book.
 */
import { stripInlineTags } from '../../inline-tags.ts';
import { type Archive, openArchive } from '../archive/archive.ts';
import { type BlockKind, countCharacters, type ReadOptions, type ReadResult } from '../document.ts';
import { type FlowBlock, type FlowPart, takeBlock } from '../flow/flow-part.ts';
import { FlowReader } from '../flow/flow-reader.ts';
import type { Mirror, Repeat } from '../flow/write-flow.ts';
import { withoutLicence } from '../licence-text.ts';
import {
  childElements,
  elementAtPath,
  elementsAround,
  elementsOf,
  type MarkupElement,
  textAtPath,
} from '../markup/markup.ts';
import { dublinCore, type UsualPrefixes } from '../markup/usual-prefixes.ts';
import { countElements, officeDocument, parsePart } from '../office-document.ts';
import { sourceFault } from '../source-faults.ts';
import { findDocxParts } from './docx-parts.ts';
import { countDrawnText, drawnItems, isDrawnText, isRepeatedTitle } from './drawn-text.ts';
import { ParagraphReader } from './paragraph-items.ts';
import { countDocxText } from './run-pieces.ts';

export type DocxSource = ReturnType<typeof openDocx>;

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

/** @throws like `readDocx` */
export function openDocx(bytes: Uint8Array) {
  const archive = openArchive(bytes);
  const names = findDocxParts(archive);
  const main = names && readPart(archive, names.main, 'body');
  if (names === undefined || main === undefined)
    throw sourceFault('UNREADABLE_SOURCE', 'The document has no main part.');
  const body = elementAtPath(main.tree.root, 'w:body');
  if (body === undefined) throw sourceFault('UNREADABLE_SOURCE', 'The document has no body.');
  main.body = body;
  const styles = parsePart(archive, names.styles, wordPrefixes)?.root;
  const reader = new DocxReader(headingLevels(styles));
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
  reader.assertMostTaken(main.tree.root, main.name);
  for (const name of names.margins) {
    const part = readPart(archive, name, 'margin') as DocxPart;
    parts.push(part);
    reader.readPart(part, part.tree.root);
  }
  reader.readRemainingNotes();
  for (const part of drawings) if (part.role === 'copy') reader.readDrawing(part.tree.root, part);
  const comments = readPart(archive, names.comments, 'margin');
  if (comments !== undefined) reader.skip(comments.tree.root, 'hidden');
  const { mirrors, deleted } = reader;
  const blocks = withoutLicence(reader.blocks, reader.skipped, (block) => block.part === main);
  const imageCount = archive.entries.filter(({ name }) =>
    /\/media\/.+\.(?:png|jpe?g|gif|bmp|svg|tiff?|webp|emf|wmf)$/i.test(name),
  ).length;
  return {
    archive,
    parts,
    reader,
    blocks,
    imageCount,
    mirrors,
    deleted,
    trackedChanges: countElements(parts, isChange),
    embeddedObjects: countElements(parts, isObject),
    /** Paragraphs of drawn diagrams, each with the place of the block that it repeats. */
    repeats: repeatsIn(reader.repeats, blocks),
    styles,
    corePart: names.coreProperties,
  };
}

/** What a part holds decides the kind of its blocks; its name may be anything. */
type PartRole = 'body' | 'notes' | 'margin' | 'drawing' | 'copy';

interface DocxPart extends FlowPart {
  role: PartRole;
}

function readPart(archive: Archive, name: string | undefined, role: PartRole): DocxPart | undefined {
  const tree = parsePart(archive, name, wordPrefixes);
  return name === undefined || tree === undefined ? undefined : { name, tree, body: undefined, role };
}

function repeatsIn(repeats: readonly { block: FlowBlock; of: FlowBlock }[], blocks: readonly FlowBlock[]): Repeat[] {
  const places = new Map(blocks.map((block, index) => [block, index]));
  return repeats.flatMap(({ block, of }) => {
    const index = places.get(of);
    return index === undefined ? [] : [{ block, index }];
  });
}

/** A move is one change, made in two places. Without anything inside, a change belongs to the end of a paragraph. */
function isChange(element: MarkupElement): boolean {
  return ['w:ins', 'w:del', 'w:moveTo'].includes(element.name) && childElements(element).length > 0;
}

function isObject({ name, attributes }: MarkupElement): boolean {
  return name === 'o:OLEObject' && !/^(?:Equation|MathType)/i.test(attributes.ProgID ?? '');
}

class DocxReader extends FlowReader {
  readonly repeats: { block: FlowBlock; of: FlowBlock }[] = [];
  readonly mirrors: (Mirror & { part: FlowPart })[] = [];
  /** What tracked changes have taken out, by part; it is not carried into a translation. */
  readonly deleted: { part: FlowPart; element: MarkupElement }[] = [];
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
    const setting = (name: string) => elementAtPath(paragraph, 'w:pPr', name)?.attributes['w:val'];
    const outline = setting('w:outlineLvl');
    if (outline !== undefined && Number(outline) < 9) return Number(outline) + 1;
    return this.levels.get(setting('w:pStyle') ?? '') ?? 0;
  }
}

function kindOf(paragraph: MarkupElement, { role }: DocxPart, level: number): BlockKind {
  if (role === 'margin') return 'label';
  if (role === 'notes') return 'note';
  const around = elementsAround(paragraph).find(({ name }) => name === 'w:tc' || name === 'w:txbxContent');
  if (around !== undefined) return around.name === 'w:tc' ? 'cell' : 'caption';
  if (level > 0) return 'heading';
  return elementAtPath(paragraph, 'w:pPr', 'w:numPr') === undefined ? 'paragraph' : 'list-item';
}

/**
 * Level 1 to 9 by the id of a paragraph style, following `basedOn`. Ids are localised (`berschrift1`), names and outline levels
 * are not.
 */
function headingLevels(root: MarkupElement | undefined): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  const styles = new Map<string, MarkupElement>();
  for (const style of root === undefined ? [] : childElements(root, 'w:style')) {
    const id = style.attributes['w:styleId'];
    if (style.attributes['w:type'] === 'paragraph' && id !== undefined) styles.set(id, style);
  }
  for (const id of styles.keys()) {
    const level = levelOf(id, styles);
    if (level !== undefined) levels.set(id, level);
  }
  return levels;
}

function levelOf(id: string, styles: ReadonlyMap<string, MarkupElement>): number | undefined {
  let at: string | undefined = id;
  // A chain of styles is a handful long; a circle in a damaged file must end too.
  for (let depth = 0; at !== undefined && depth < 20; depth++) {
    const style = styles.get(at);
    if (style === undefined) return undefined;
    const own = ownLevel(style);
    if (own !== undefined) return own === 0 ? undefined : own;
    at = childElements(style, 'w:basedOn')[0]?.attributes['w:val'];
  }
  return undefined;
}

/** 0 says that the style is body text whatever it is based on. */
function ownLevel(style: MarkupElement): number | undefined {
  const outline = elementAtPath(style, 'w:pPr', 'w:outlineLvl')?.attributes['w:val'];
  if (outline !== undefined) return Number(outline) < 9 ? Number(outline) + 1 : 0;
  const name = childElements(style, 'w:name')[0]?.attributes['w:val'] ?? '';
  const level = /^heading (\d)$/i.exec(name)?.[1];
  if (level !== undefined) return Number(level);
  return /^title$/i.test(name) ? 1 : undefined;
}

const transitional = 'http://schemas.openxmlformats.org';
const strict = 'http://purl.oclc.org/ooxml';

/** Both editions of the standard: transitional, which nearly all programs write, and strict. */
const wordPrefixes: UsualPrefixes = new Map([
  [`${transitional}/wordprocessingml/2006/main`, 'w'],
  [`${strict}/wordprocessingml/main`, 'w'],
  [`${transitional}/officeDocument/2006/relationships`, 'r'],
  [`${strict}/officeDocument/relationships`, 'r'],
  [`${transitional}/drawingml/2006/main`, 'a'],
  [`${strict}/drawingml/main`, 'a'],
  [`${transitional}/drawingml/2006/chart`, 'c'],
  [`${strict}/drawingml/chart`, 'c'],
  [`${transitional}/drawingml/2006/diagram`, 'dgm'],
  [`${strict}/drawingml/diagram`, 'dgm'],
  ['http://schemas.microsoft.com/office/drawing/2008/diagram', 'dsp'],
  ['http://schemas.microsoft.com/office/drawing/2014/chartex', 'cx'],
  ['urn:schemas-microsoft-com:office:office', 'o'],
  ['http://schemas.openxmlformats.org/markup-compatibility/2006', 'mc'],
]);
