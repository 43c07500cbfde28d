/**
 * The runs of a Word paragraph as items. Word cuts text into runs for reasons of its own (spelling, revisions), so runs
 * with equal formatting are one; the commonest formatting of the paragraph is its base, every other one a tag.
 */
import { countCharacters, type RubyReading } from '../document.ts';
import { type Item, voidItem } from '../flow/inline-items.ts';
import type { Mirror } from '../flow/write-flow.ts';
import { childElements, elementsOf, isInside, type MarkupElement, type MarkupNode, textOf } from '../markup/markup.ts';
import type { SkipTally } from '../skip-tally.ts';
import { countDocxText, isLineBreak } from './docx-text.ts';

export interface ReadParagraph {
  items: Item[];
  /** Formatting (`w:rPr` as markup) of most of the text. */
  baseStyle: string;
  /** Elements inside that hold paragraphs of their own. */
  nested: MarkupElement[];
  /** The same text boxes once more, for programs that do not know the newer kind. */
  mirrors: Mirror[];
  /** Text that a tracked change has taken out. */
  deleted: MarkupElement[];
  noteKeys: string[];
  ruby: RubyReading[];
  inContents: boolean;
}

/** Item of a run, before equal neighbours are merged. */
interface Piece {
  item: Item;
  style: string;
}

interface Field {
  instruction: string;
  inResult: boolean;
}

/** Fields whose result is prose; all others (page numbers, references, dates) are left as they are. */
const proseField = /^\s*(?:HYPERLINK|TOC|QUOTE|TITLE|SUBJECT)\b/;

export class ParagraphReader {
  private readonly source: string;
  private readonly skipped: SkipTally;
  /** Fields may begin in one paragraph and end in another: a table of contents always does. */
  private readonly fields: Field[] = [];
  private current: ReadParagraph = emptyParagraph();

  constructor(source: string, skipped: SkipTally) {
    this.source = source;
    this.skipped = skipped;
  }

  read(paragraph: MarkupElement): ReadParagraph {
    this.current = emptyParagraph();
    this.current.inContents = this.fields.some((field) => /^\s*TOC\b/.test(field.instruction));
    const pieces = this.pieces(paragraph.children);
    const base = commonestStyle(pieces);
    this.current.baseStyle = base;
    this.current.items = merge(pieces, base);
    return this.current;
  }

  private pieces(nodes: readonly MarkupNode[]): Piece[] {
    return nodes.flatMap((node): Piece[] => {
      if (node.kind === 'text') {
        this.skipped.add('whitespace', countCharacters(node.text));
        return [];
      }
      return this.piecesOfElement(node);
    });
  }

  private piecesOfElement(element: MarkupElement): Piece[] {
    switch (element.name) {
      case 'w:r':
        return this.piecesOfRun(element);
      case 'w:hyperlink':
        return this.piecesOfLink(element);
      case 'w:ins':
      case 'w:moveTo':
      case 'w:smartTag':
      case 'w:sdt':
      case 'w:sdtContent':
      case 'w:customXml':
      case 'w:dir':
      case 'w:bdo':
        return this.pieces(element.children).map((piece) => widen(piece, element));
      case 'w:fldSimple':
        if (proseField.test(element.attributes['w:instr'] ?? '')) return this.piecesOfLink(element);
        return [this.wholeElement(element)];
      case 'w:del':
      case 'w:moveFrom':
        this.skipped.add('hidden', countDocxText(element));
        this.current.deleted.push(element);
        return [];
      case 'w:pPr':
      case 'w:sdtPr':
      case 'w:sdtEndPr':
      case 'w:proofErr':
      case 'w:smartTagPr':
      case 'w:permStart':
      case 'w:permEnd':
      case 'w:moveFromRangeStart':
      case 'w:moveFromRangeEnd':
      case 'w:moveToRangeStart':
      case 'w:moveToRangeEnd':
        this.skipped.add('markup', countDocxText(element));
        return [];
      default:
        return [this.wholeElement(element)];
    }
  }

  private piecesOfLink(link: MarkupElement): Piece[] {
    const pieces = this.pieces(link.children);
    const base = commonestStyle(pieces);
    const items = merge(pieces, base);
    const open = this.source.slice(link.start, link.openEnd);
    const close = this.source.slice(link.closeStart, link.end);
    return [
      { item: { kind: 'group', open, close, style: base, items, start: link.start, end: link.end }, style: linkStyle },
    ];
  }

  private piecesOfRun(run: MarkupElement): Piece[] {
    const properties = childElements(run, 'w:rPr')[0];
    const style = properties === undefined ? '' : normaliseStyle(this.source.slice(properties.start, properties.end));
    const isHidden = properties !== undefined && isOn(childElements(properties, 'w:vanish')[0]);
    const before = `<w:r>${style}`;
    const pieces: Piece[] = [];
    for (const child of run.children) {
      if (child.kind === 'text') {
        this.skipped.add('whitespace', countCharacters(child.text));
        continue;
      }
      const { name, start, end } = child;
      if (name === 'w:rPr' || name === 'w:lastRenderedPageBreak') {
        // Only the white space of a file that is written with indentation.
        this.skipped.add('markup', countDocxText(child));
        continue;
      }
      const opaque = this.trackField(child) || isHidden;
      const isText = name === 'w:t' || name === 'w:noBreakHyphen' || isLineBreak(child);
      if (isText && !opaque) {
        const item: Item = isLineBreak(child)
          ? { kind: 'break', start: run.start, end: run.end }
          : { kind: 'text', text: name === 'w:t' ? textOf(child) : '\u2011', start: run.start, end: run.end };
        pieces.push({ item, style });
      } else if (name === 'w:ruby' && !opaque) pieces.push(...this.piecesOfRuby(child, run));
      else {
        this.skipped.add(isHidden ? 'hidden' : 'markup', this.countOpaque(child));
        this.noteReferences(child);
        const repeatable = name === 'w:tab' || name === 'w:sym' || name === 'w:softHyphen';
        // The element is cut out of its run, so it needs one of its own.
        const piece = { from: start, to: end, before, after: '</w:r>', repeatable };
        pieces.push({ item: { kind: 'void', start: run.start, end: run.end, pieces: [piece] }, style: voidStyle });
      }
    }
    return pieces;
  }

  /** The base is text of the paragraph, the reading is not. */
  private piecesOfRuby(ruby: MarkupElement, run: MarkupElement): Piece[] {
    const pieces: Piece[] = [];
    const words = (name: string) => childElements(ruby, name).map(wordsOf).join('');
    const [base, reading] = [words('w:rubyBase'), words('w:rt')];
    if (base && reading) this.current.ruby.push({ base, reading });
    for (const child of ruby.children) {
      if (child.kind === 'element' && child.name === 'w:rubyBase') {
        pieces.push(...this.pieces(child.children).map((piece) => widen(piece, run)));
      } else if (child.kind === 'text') this.skipped.add('whitespace', countCharacters(child.text));
      else this.skipped.add('ruby-annotation', countDocxText(child));
    }
    return pieces;
  }

  /** True when the element belongs to a field whose text is not prose. */
  private trackField(element: MarkupElement): boolean {
    if (element.name === 'w:fldChar') {
      const type = element.attributes['w:fldCharType'];
      const field = this.fields.at(-1);
      if (type === 'begin') this.fields.push({ instruction: '', inResult: false });
      else if (type === 'separate' && field !== undefined) field.inResult = true;
      else if (type === 'end') this.fields.pop();
      return true;
    }
    const field = this.fields.at(-1);
    if (element.name === 'w:instrText') {
      if (field !== undefined) field.instruction += textOf(element);
      if (field !== undefined && /^\s*TOC\b/.test(field.instruction)) this.current.inContents = true;
      return true;
    }
    return this.fields.some(({ instruction, inResult }) => !inResult || !proseField.test(instruction));
  }

  private wholeElement(element: MarkupElement): Piece {
    this.skipped.add('markup', this.countOpaque(element));
    this.noteReferences(element);
    const { start, end } = element;
    return { item: voidItem(start, end), style: voidStyle };
  }

  /** Text of an element that stays as it is; text boxes in it hold paragraphs, which are read on their own. */
  private countOpaque(element: MarkupElement): number {
    const boxes = [...elementsOf(element)].filter(
      (below) => below.name === 'w:txbxContent' && !hasAncestor(below, 'w:txbxContent', element),
    );
    let inside = 0;
    for (const box of boxes) {
      const fallback = ancestorNamed(box, 'mc:Fallback', element);
      const twin = fallback === undefined ? undefined : twinOf(box, fallback, boxes);
      if (twin === undefined) {
        this.current.nested.push(box);
        inside += countDocxText(box);
      } else this.current.mirrors.push({ from: twin, to: box });
    }
    return countDocxText(element) - inside;
  }

  private noteReferences(element: MarkupElement): void {
    if (element.name === 'w:footnoteReference') this.current.noteKeys.push(`w:footnote ${element.attributes['w:id']}`);
    if (element.name === 'w:endnoteReference') this.current.noteKeys.push(`w:endnote ${element.attributes['w:id']}`);
  }
}

function wordsOf(element: MarkupElement): string {
  return [...elementsOf(element)].map((below) => (below.name === 'w:t' ? textOf(below) : '')).join('');
}

/** What is inside a wrapper that goes (an accepted insertion, a content control) takes the wrapper with it. */
function widen(piece: Piece, wrapper: MarkupElement): Piece {
  return { ...piece, item: { ...piece.item, start: wrapper.start, end: wrapper.end } };
}

const linkStyle = '\0link';
const voidStyle = '\0void';

function emptyParagraph(): ReadParagraph {
  return {
    items: [],
    baseStyle: '',
    nested: [],
    mirrors: [],
    deleted: [],
    noteKeys: [],
    ruby: [],
    inContents: false,
  };
}

function hasAncestor(element: MarkupElement, name: string, top: MarkupElement): boolean {
  return ancestorNamed(element, name, top) !== undefined;
}

function ancestorNamed(element: MarkupElement, name: string, top: MarkupElement): MarkupElement | undefined {
  for (let at = element.parent; at !== undefined; at = at.parent) {
    if (at.name === name) return at;
    if (at === top) return undefined;
  }
  return undefined;
}

/** The box of the preferred choice that this one of the fallback repeats; none when the choice is only a picture. */
function twinOf(
  box: MarkupElement,
  fallback: MarkupElement,
  boxes: readonly MarkupElement[],
): MarkupElement | undefined {
  const both = fallback.parent;
  if (both === undefined) return undefined;
  const within = boxes.filter((other) => isInside(other, both));
  const repeated = within.filter((other) => isInside(other, fallback));
  return within.filter((other) => !isInside(other, fallback))[repeated.indexOf(box)];
}

/** A property without a value is on. */
export function isOn(toggle: MarkupElement | undefined): boolean {
  return toggle !== undefined && !['0', 'false', 'off'].includes(toggle.attributes['w:val'] ?? '');
}

/** Spelling language, proofing marks and revision history do not change how a run looks. */
function normaliseStyle(markup: string): string {
  const style = markup
    .replace(/<w:rPrChange\b[\s\S]*?<\/w:rPrChange>/g, '')
    .replace(/<w:(?:lang|noProof|ins|del)\b[^>]*?\/>/g, '')
    .replace(/\s+w:rsid\w*="[^"]*"/g, '')
    .replace(/>\s+</g, '><');
  return /^<w:rPr>\s*<\/w:rPr>$|^<w:rPr\s*\/>$/.test(style) ? '' : style;
}

function commonestStyle(pieces: readonly Piece[]): string {
  const lengths = new Map<string, number>();
  for (const { item, style } of pieces) {
    if (item.kind === 'text') lengths.set(style, (lengths.get(style) ?? 0) + item.text.length);
  }
  return [...lengths].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}

/** Neighbours of equal formatting become one text, or one group when it is not the base; voids in a row one void. */
function merge(pieces: readonly Piece[], base: string): Item[] {
  const items: Item[] = [];
  let group: Extract<Item, { kind: 'group' }> | undefined;
  for (const { item, style } of pieces) {
    const isPlain = style === base || style === linkStyle || style === voidStyle || item.kind === 'break';
    if (isPlain) {
      group = undefined;
      push(items, item);
    } else {
      if (group === undefined || group.style !== style) {
        group = { kind: 'group', open: '', close: '', style, items: [], start: item.start, end: item.end };
        items.push(group);
      }
      push(group.items, item);
      group.end = item.end;
    }
  }
  return items;
}

function push(items: Item[], item: Item): void {
  const last = items.at(-1);
  if (last?.kind === 'text' && item.kind === 'text') {
    items[items.length - 1] = { ...last, text: last.text + item.text, end: Math.max(last.end, item.end) };
  } else if (last?.kind === 'void' && item.kind === 'void') {
    items[items.length - 1] = { ...last, pieces: [...last.pieces, ...item.pieces], end: Math.max(last.end, item.end) };
  } else items.push(item);
}
