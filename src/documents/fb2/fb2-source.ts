/** Opens an FB2 book, plain or zipped, and finds its blocks. */
import { looksLikeZip, openArchive } from '../archive/archive.ts';
import { assembleDocument } from '../assemble-document.ts';
import { type BlockKind, countCharacters, type ReadOptions, type ReadResult } from '../document.ts';
import { type FlowBlock, type FlowPart, flowSections } from '../flow/flow-part.ts';
import { FlowReader } from '../flow/flow-reader.ts';
import { type Item, voidItem } from '../flow/inline-items.ts';
import { withoutLicence } from '../licence-text.ts';
import {
  childElements,
  elementAtPath,
  elementsAround,
  elementsOf,
  localName,
  type MarkupElement,
  type MarkupNode,
  textAtPath,
  textOf,
} from '../markup/markup.ts';
import { parseXml } from '../markup/xml.ts';
import { sourceFault } from '../source-faults.ts';

export type Fb2Source = ReturnType<typeof openFb2>;

/** @throws BAD_REQUEST UNREADABLE_SOURCE, the XML_ and the ARCHIVE_ reasons */
export function readFb2(bytes: Uint8Array, options: ReadOptions): ReadResult {
  const source = openFb2(bytes);
  const { titleInfo } = source;
  const facts = {
    format: 'fb2',
    encoding: source.encoding,
    title: textAtPath(titleInfo, 'book-title')?.replace(/\s+/g, ' '),
    author: authorOf(titleInfo),
    declaredLanguage: textAtPath(titleInfo, 'lang'),
    writingMode: 'horizontal',
    hasRuby: false,
    imageCount: source.imageCount,
    textCharacters: source.reader.textCharacters,
  } as const;
  return {
    document: assembleDocument(facts, flowSections(source.blocks), source.reader.skipped, options.charLimit),
    warnings: [],
  };
}

function authorOf(titleInfo: MarkupElement | undefined): string | undefined {
  const author = elementAtPath(titleInfo, 'author');
  const names = ['first-name', 'middle-name', 'last-name'].map((part) => textAtPath(author, part));
  return names.filter(Boolean).join(' ') || textAtPath(author, 'nickname');
}

/** @throws like `readFb2` */
export function openFb2(bytes: Uint8Array) {
  const { xml, entryName } = unpack(bytes);
  const tree = parseXml(xml, { prefixes: new Map() });
  const part: FlowPart = { name: 'book', tree, body: childElements(tree.root, 'body')[0] };
  const reader = new Fb2Reader(part);
  reader.read();
  reader.assertMostTaken(tree.root, 'book');
  const repeatedTitle = reader.takeRepeatedTitle();
  return {
    part,
    blocks: withoutLicence(reader.blocks, reader.skipped, ({ container }) => bodyAround(container) !== undefined),
    /** The book title of the description when a heading reads the same; it is no block. */
    repeatedTitle,
    reader,
    encoding: tree.encoding,
    /** Name of the book inside its archive; undefined for a plain file. */
    entryName,
    titleInfo: elementAtPath(tree.root, 'description', 'title-info'),
    imageCount: childElements(tree.root, 'binary').length,
  };
}

function unpack(bytes: Uint8Array): { xml: Uint8Array; entryName: string | undefined } {
  if (!looksLikeZip(bytes)) return { xml: bytes, entryName: undefined };
  const archive = openArchive(bytes);
  const entry = archive.entries.find(({ name }) => /\.fb2$/i.test(name));
  const xml = entry === undefined ? undefined : archive.read(entry.name);
  if (entry === undefined || xml === undefined)
    throw sourceFault('UNREADABLE_SOURCE', 'The archive holds no FB2 book.');
  return { xml, entryName: entry.name };
}

/** Stands for an element that the source does not have. */
export const bareText = '#text';

const paragraphKinds: Readonly<Record<string, BlockKind>> = {
  p: 'paragraph',
  v: 'verse',
  subtitle: 'heading',
  'text-author': 'paragraph',
  td: 'cell',
  th: 'cell',
  date: 'paragraph',
  [bareText]: 'paragraph',
};

const inlineNames = new Set(['strong', 'emphasis', 'style', 'a', 'strikethrough', 'sub', 'sup', 'code', 'image']);

/** The children of an element, with text that stands in no paragraph of its own as one: some programs write lists so. */
function withBareText(element: MarkupElement): MarkupNode[] {
  const isBare = (child: MarkupNode) => child.kind === 'text' || inlineNames.has(child.name);
  if (!element.children.some((child) => isBare(child) && /\S/.test(textOf(child)))) return element.children;
  const nodes: MarkupNode[] = [];
  let run: MarkupNode[] = [];
  const flush = () => {
    const [first, last] = [run[0], run.at(-1)];
    if (first !== undefined && last !== undefined && run.some((node) => /\S/.test(textOf(node)))) {
      const { start } = first;
      const { end } = last;
      const place = { parent: element, start, openEnd: start, closeStart: end, end };
      nodes.push({ kind: 'element', name: bareText, attributes: {}, children: run, ...place });
    } else nodes.push(...run);
    run = [];
  };
  for (const child of element.children) {
    if (isBare(child)) run.push(child);
    else {
      flush();
      nodes.push(child);
    }
  }
  flush();
  return nodes;
}

class Fb2Reader extends FlowReader {
  private readonly part: FlowPart;
  /** Note sections by id: a note follows the paragraph that first refers to it. */
  private readonly notes = new Map<string, MarkupElement>();
  private readonly walked = new Set<MarkupElement>();
  /** Notes that were referred to and are still to be read. Notes refer to each other, also in circles. */
  private pending: MarkupElement[] = [];

  constructor(part: FlowPart) {
    super(true);
    this.part = part;
  }

  read(): void {
    const { root } = this.part.tree;
    this.textCharacters = countCharacters(textOf(root));
    for (const body of childElements(root, 'body')) {
      if (!isNotes(body)) continue;
      for (const section of childElements(body, 'section')) {
        if (section.attributes.id !== undefined) this.notes.set(section.attributes.id, section);
      }
    }
    for (const child of root.children) {
      if (child.kind === 'text') this.skipped.add('whitespace', countCharacters(child.text));
      else if (child.name === 'description') continue;
      else if (child.name === 'body') this.walk(child, 0);
      // Pictures in base64, style sheets.
      else this.skipped.add('markup', countCharacters(textOf(child)));
    }
    // After the book, so that a limit is spent on what is read.
    for (const description of childElements(root, 'description')) this.readDescription(description);
  }

  /** Title and annotation are read by people; the rest of the description is for machines. */
  private readDescription(description: MarkupElement): void {
    this.taken.add(description);
    const title = elementAtPath(description, 'title-info', 'book-title');
    const annotation = elementAtPath(description, 'title-info', 'annotation');
    let read = 0;
    if (title !== undefined) {
      read += countCharacters(textOf(title));
      this.takeParagraph(title, 'label', 0);
    }
    if (annotation !== undefined) {
      read += countCharacters(textOf(annotation));
      this.walk(annotation, 0);
    }
    this.skipped.add('metadata', countCharacters(textOf(description)) - read);
  }

  private walk(element: MarkupElement, depth: number): void {
    if (this.walked.has(element)) return;
    this.walked.add(element);
    for (const child of withBareText(element)) {
      if (child.kind === 'text') {
        this.skipped.add('whitespace', countCharacters(child.text));
        continue;
      }
      const name = child.name;
      const kind = paragraphKinds[name];
      if (kind !== undefined) {
        const inTitle = element.name === 'title';
        const body = bodyAround(child);
        const inNote = body !== undefined && isNotes(body);
        const ofSection = inTitle && ['section', 'body'].includes(element.parent?.name ?? '');
        const level = ofSection && !inNote ? depth + 1 : 0;
        // The title of a note is its number.
        const noteKind = inTitle ? 'label' : kind === 'paragraph' ? 'note' : kind;
        this.takeParagraph(child, inNote ? noteKind : inTitle ? 'heading' : kind, level);
      } else this.walk(child, name === 'section' ? depth + 1 : depth);
    }
  }

  private takeParagraph(element: MarkupElement, kind: BlockKind, level: number): void {
    this.takeText(this.part, element, () => {
      const items = this.itemsOf(element.children);
      return { items, characters: countCharacters(textOf(element)), kind, level };
    });
    this.readNotesOf(element);
  }

  /** One after the other and not one inside the other: a long chain of notes must not exhaust the stack. */
  private readNotesOf(paragraph: MarkupElement): void {
    const isInside = this.pending.length > 0;
    for (const inner of elementsOf(paragraph)) {
      if (inner.name !== 'a') continue;
      const target = hrefOf(inner);
      const note = target?.startsWith('#') ? this.notes.get(target.slice(1)) : undefined;
      if (note !== undefined && !this.walked.has(note)) this.pending.push(note);
    }
    if (isInside) return;
    // The first stays in the list while it is read, which tells the paragraphs of a note that they are in one.
    for (let note = this.pending[0]; note !== undefined; note = this.pending[0]) {
      this.walk(note, 9);
      this.pending.shift();
    }
  }

  private itemsOf(nodes: readonly MarkupNode[]): Item[] {
    const { source } = this.part.tree;
    return nodes.map((node): Item => {
      const { start, end } = node;
      if (node.kind === 'text') return { kind: 'text', text: node.text, start, end };
      // The anchor of a note is its number: part of the apparatus, not of the sentence.
      if (node.name === 'a' && node.attributes.type === 'note') {
        this.skipped.add('markup', countCharacters(textOf(node)));
        return voidItem(start, end);
      }
      const items = this.itemsOf(node.children);
      if (items.length === 0) return voidItem(start, end);
      const open = source.slice(start, node.openEnd);
      return { kind: 'group', open, close: source.slice(node.closeStart, end), style: undefined, items, start, end };
    });
  }

  /** The book title of the description mostly repeats the heading of the body and then takes its translation. */
  takeRepeatedTitle(): FlowBlock | undefined {
    const at = this.blocks.findIndex((block) => block.container.name === 'book-title');
    const label = this.blocks[at];
    if (label === undefined || label.tags.length > 0) return undefined;
    if (!this.blocks.some((block) => block.kind === 'heading' && block.text === label.text)) return undefined;
    this.blocks.splice(at, 1);
    this.skipped.add('repeats-heading', label.characters);
    return label;
  }
}

function bodyAround(element: MarkupElement): MarkupElement | undefined {
  return elementsAround(element).find(({ name }) => name === 'body');
}

function isNotes(body: MarkupElement): boolean {
  return /notes|comments/i.test(body.attributes.name ?? '');
}

function hrefOf(element: MarkupElement): string | undefined {
  const name = Object.keys(element.attributes).find((attribute) => localName(attribute) === 'href');
  return name === undefined ? undefined : element.attributes[name];
}
