/** Opens an OpenDocument text and finds its blocks: the text itself, then headers and footers of the page styles. */
import { type Archive, openArchive } from '../archive/archive.ts';
import {
  type BlockKind,
  countCharacters,
  type ReadOptions,
  type ReadResult,
  type RubyReading,
  type SkipReason,
} from '../document.ts';
import type { FlowPart } from '../flow/flow-part.ts';
import { FlowReader } from '../flow/flow-reader.ts';
import { type Item, voidItem } from '../flow/inline-items.ts';
import { withoutLicence } from '../licence-text.ts';
import {
  childElements,
  countTextWith,
  elementAtPath,
  elementsAround,
  elementsOf,
  type MarkupElement,
  type MarkupNode,
  type MarkupTree,
  textAtPath,
  textOf,
} from '../markup/markup.ts';
import { dublinCore, type UsualPrefixes } from '../markup/usual-prefixes.ts';
import { countElements, type OfficeSource, officeDocument, parsePart } from '../office-document.ts';
import { sourceFault } from '../source-faults.ts';

/** @throws BAD_REQUEST UNREADABLE_SOURCE, ENCRYPTED_SOURCE, the XML_ and the ARCHIVE_ reasons */
export function readOdt(bytes: Uint8Array, options: ReadOptions): ReadResult {
  const source = openOdt(bytes);
  const meta = parsePart(source.archive, 'meta.xml', odtPrefixes)?.root;
  const value = (name: string) => textAtPath(meta, 'office:meta', name);
  const styles = source.parts[1]?.tree;
  const facts = {
    format: 'odt',
    title: value('dc:title'),
    author: value('dc:creator') ?? value('meta:initial-creator'),
    declaredLanguage: languageOf(styles?.root) ?? value('dc:language'),
    writingMode: styles?.source.includes('writing-mode="tb-rl"') ? 'vertical' : 'horizontal',
  } as const;
  return officeDocument(source, facts, options);
}

/** The language of the default paragraph style. */
function languageOf(styles: MarkupElement | undefined): string | undefined {
  for (const { name, attributes } of styles === undefined ? [] : elementsOf(styles)) {
    const { 'fo:language': language, 'fo:country': country } = attributes;
    if (name === 'style:text-properties' && language !== undefined && language !== 'none' && language !== 'zxx')
      return country === undefined || country === 'none' ? language : `${language}-${country}`;
  }
  return undefined;
}

/** @throws like `readOdt` */
export function openOdt(bytes: Uint8Array): OfficeSource {
  const archive = openArchive(bytes);
  const manifest = archive.read('META-INF/manifest.xml');
  if (manifest !== undefined && Buffer.from(manifest).includes('encryption-data'))
    throw sourceFault('ENCRYPTED_SOURCE');
  const tree = parsePart(archive, 'content.xml', odtPrefixes);
  if (tree === undefined) throw sourceFault('UNREADABLE_SOURCE', 'The document has no content.xml.');
  const stylesTree = parsePart(archive, 'styles.xml', odtPrefixes);
  const body = elementAtPath(tree.root, 'office:body', 'office:text');
  if (body === undefined) throw sourceFault('UNREADABLE_SOURCE', 'The document has no text body.');
  const content: FlowPart = { name: 'content.xml', tree, body };
  const styles: FlowPart | undefined = stylesTree && { name: 'styles.xml', tree: stylesTree, body: undefined };
  const parts = styles === undefined ? [content] : [content, styles];
  const reader = new OdtReader(new Set(['Emphasis', ...parts.flatMap((part) => italicStyles(part.tree))]));
  reader.readPart(content, body);
  reader.assertMostTaken(tree.root, content.name);
  const master = elementAtPath(styles?.tree.root, 'office:master-styles');
  if (styles !== undefined && master !== undefined) reader.readPart(styles, master);
  return {
    archive,
    parts,
    reader,
    blocks: withoutLicence(reader.blocks, reader.skipped, (block) => block.part.body !== undefined),
    imageCount: reader.imageCount,
    embeddedObjects: countObjects(archive, parts),
    trackedChanges: countElements(parts, ({ name }) => name === 'text:changed-region'),
  };
}

/** Where a tracked change begins and ends, or has taken something out. */
export function isChangeMark({ name }: MarkupElement): boolean {
  return /^text:change(?:-start|-end)?$/.test(name);
}

function countObjects(archive: Archive, parts: readonly FlowPart[]): number {
  const objects = parts.flatMap(({ tree }) =>
    elementsOf(tree.root)
      .filter(({ name }) => /^draw:object(?:-ole)?$/.test(name))
      .toArray(),
  );
  const found = new Set(objects.map(({ attributes }) => (attributes['xlink:href'] ?? '').replace(/^\.\//, '')));
  return [...found].filter((name) => {
    const content = archive.read(`${name}/content.xml`);
    // A formula is bare MathML; every other document has a body.
    return content === undefined
      ? archive.has(name)
      : /<[\w.-]+:body[\s>]/.test(Buffer.from(content).toString('latin1'));
  }).length;
}

/** Elements whose text is not part of the running text, with the reason it is skipped. */
const skippedElements = new Map<string, SkipReason>([
  ['text:tracked-changes', 'hidden'],
  ['office:annotation', 'hidden'],
  ['text:hidden-text', 'hidden'],
  ['text:index-title-template', 'markup'],
  ['svg:title', 'metadata'],
  ['svg:desc', 'metadata'],
  ['office:forms', 'markup'],
  ['office:event-listeners', 'markup'],
]);

const inlineGroups = new Set(['text:span', 'text:a', 'text:meta', 'text:ruby-base']);

const blankElements = new Set(['text:s', 'text:tab', 'text:line-break']);

class OdtReader extends FlowReader {
  imageCount = 0;
  private readonly italic: ReadonlySet<string>;
  /** Of the paragraph that is being read. */
  private ruby: RubyReading[] = [];

  /** @param italic names of styles that are */
  constructor(italic: ReadonlySet<string>) {
    super(true);
    this.italic = italic;
  }

  readPart(part: FlowPart, root: MarkupElement): void {
    this.textCharacters += countOdtText(root);
    this.walk(root, part);
  }

  private walk(element: MarkupElement, part: FlowPart): void {
    for (const child of element.children) {
      if (child.kind === 'text') {
        this.skipped.add('whitespace', countCharacters(child.text));
        continue;
      }
      const reason = skippedElements.get(child.name);
      if (reason !== undefined) this.leaveOut(child, reason);
      else if (child.name === 'text:p' || child.name === 'text:h') this.takeParagraph(child, part);
      // `text:section` may be hidden, but it is text of the book that a reader can show.
      else {
        if (child.name === 'draw:image') this.imageCount++;
        if (isTextual(child)) this.skipped.add('markup', countOdtText(child));
        else this.walk(child, part);
      }
    }
  }

  private leaveOut(element: MarkupElement, reason: SkipReason): void {
    this.taken.add(element);
    this.skipped.add(reason, countOdtText(element));
  }

  private takeParagraph(element: MarkupElement, part: FlowPart): void {
    const inner: MarkupElement[] = [];
    this.takeText(part, element, () => {
      this.ruby = [];
      const items = this.itemsOf(element.children, part, inner);
      const level = element.name === 'text:h' ? Number(element.attributes['text:outline-level'] ?? 1) : 0;
      const characters = countOdtText(element) - inner.reduce((sum, nested) => sum + countOdtText(nested), 0);
      return {
        items,
        characters,
        kind: kindOf(element, part),
        level,
        isItalic: this.isItalic(element),
        ruby: this.ruby,
      };
    });
    // Notes and text boxes follow the paragraph they are anchored in.
    for (const nested of inner) this.walk(nested, part);
  }

  private itemsOf(nodes: readonly MarkupNode[], part: FlowPart, inner: MarkupElement[]): Item[] {
    return nodes.flatMap((node): Item[] => {
      const { start, end } = node;
      if (node.kind === 'text') return [{ kind: 'text', text: node.text, start, end }];
      if (isChangeMark(node)) {
        this.skipped.add('markup', countOdtText(node));
        return [];
      }
      if (blankElements.has(node.name)) {
        // They are empty by the standard; some programs write blanks into them, which nobody shows.
        this.skipped.add('markup', countCharacters(textOf(node)));
        if (node.name === 'text:line-break') return [{ kind: 'break', start, end }];
        if (node.name === 'text:s') return [{ kind: 'text', text: ' '.repeat(spacesOf(node)), start, end }];
        return [voidItem(start, end, true)];
      }
      if (node.name === 'text:ruby') return this.rubyItems(node, part, inner);
      if (inlineGroups.has(node.name)) {
        const items = this.itemsOf(node.children, part, inner);
        const source = part.tree.source;
        const open = source.slice(start, node.openEnd);
        const close = source.slice(node.closeStart, end);
        if (items.length === 0) return [voidItem(start, end)];
        return [{ kind: 'group', open, close, style: undefined, isItalic: this.isItalic(node), items, start, end }];
      }
      this.takeVoid(node, inner);
      return [voidItem(start, end)];
    });
  }

  private isItalic({ attributes }: MarkupElement): boolean {
    return this.italic.has(attributes['text:style-name'] ?? '');
  }

  /** The base is translated, the reading goes with the element around both. */
  private rubyItems(ruby: MarkupElement, part: FlowPart, inner: MarkupElement[]): Item[] {
    this.hasRuby = true;
    const words = (name: string) => childElements(ruby, name).map(textOf).join('');
    const [base, reading] = [words('text:ruby-base'), words('text:ruby-text')];
    if (base && reading) this.ruby.push({ base, reading });
    const items: Item[] = [];
    for (const child of ruby.children) {
      if (child.kind === 'element' && child.name === 'text:ruby-base')
        items.push(...this.itemsOf(child.children, part, inner));
      else
        this.skipped.add('ruby-annotation', child.kind === 'text' ? countCharacters(child.text) : countOdtText(child));
    }
    // Ranges of the ruby as a whole: the base alone would leave half an element behind.
    return items.map((item) => ({ ...item, start: ruby.start, end: ruby.end }));
  }

  private takeVoid(element: MarkupElement, inner: MarkupElement[]): void {
    const reason = skippedElements.get(element.name);
    if (reason !== undefined) this.leaveOut(element, reason);
    else if (holdsParagraphs(element)) {
      inner.push(element);
      return;
    } else this.skipped.add('markup', countOdtText(element));
    for (const below of elementsOf(element)) if (below.name === 'draw:image') this.imageCount++;
  }
}

/** Names of the styles that say so themselves; what they inherit is not looked up. */
function italicStyles({ root }: MarkupTree): string[] {
  const lists = ['office:automatic-styles', 'office:styles'].flatMap((name) => childElements(root, name));
  return lists.flatMap((list) =>
    childElements(list, 'style:style')
      .filter((style) =>
        childElements(style, 'style:text-properties').some(({ attributes }) =>
          /^(?:italic|oblique)$/.test(attributes['fo:font-style'] ?? ''),
        ),
      )
      .map(({ attributes }) => attributes['style:name'] ?? ''),
  );
}

function kindOf(element: MarkupElement, part: FlowPart): BlockKind {
  if (element.name === 'text:h') return 'heading';
  if (part.body === undefined) return 'label';
  const kinds = elementsAround(element).map(({ name }) => kindsInside[name]);
  return kinds.find((kind) => kind !== undefined) ?? 'paragraph';
}

const kindsInside: Readonly<Record<string, BlockKind>> = {
  'text:note-body': 'note',
  'table:table-cell': 'cell',
  'text:list-item': 'list-item',
  'draw:text-box': 'caption',
  'text:index-body': 'label',
};

/** Fields and citations that hold bare text outside any paragraph, such as the number of a note. */
function isTextual(element: MarkupElement): boolean {
  return !holdsParagraphs(element) && textOf(element).trim() !== '';
}

function holdsParagraphs(element: MarkupElement): boolean {
  return elementsOf(element).some(({ name }) => name === 'text:p' || name === 'text:h');
}

function spacesOf(element: MarkupElement): number {
  return Math.min(1000, Math.max(1, Number(element.attributes['text:c'] ?? 1) || 1));
}

/** Every character below, with the blanks and line breaks that the format writes as elements. */
function countOdtText(root: MarkupElement): number {
  return countTextWith(root, (element) =>
    element.name === 'text:s' ? spacesOf(element) : element.name === 'text:line-break' ? 1 : 0,
  );
}

const namespace = 'urn:oasis:names:tc:opendocument:xmlns';

export const odtPrefixes: UsualPrefixes = new Map([
  [`${namespace}:office:1.0`, 'office'],
  [`${namespace}:text:1.0`, 'text'],
  [`${namespace}:table:1.0`, 'table'],
  [`${namespace}:drawing:1.0`, 'draw'],
  [`${namespace}:style:1.0`, 'style'],
  [`${namespace}:meta:1.0`, 'meta'],
  [`${namespace}:xsl-fo-compatible:1.0`, 'fo'],
  [`${namespace}:svg-compatible:1.0`, 'svg'],
  ['http://www.w3.org/1999/xlink', 'xlink'],
  ...dublinCore,
]);
