/**
 * The runs of a Word paragraph as items. Word cuts text into runs for reasons of its own (spelling, revisions), so runs
 * with equal formatting are one. The commonest formatting of the paragraph is its base, every other one a tag.
 */
import { countCharacters, type RubyReading } from '../document.ts';
import { type Item, voidItem } from '../flow/inline-items.ts';
import type { Mirror } from '../flow/write-flow.ts';
import {
  childElements,
  elementAtPath,
  elementsAround,
  elementsOf,
  type MarkupElement,
  type MarkupNode,
  textOf,
} from '../markup/markup.ts';
import type { SkipTally } from '../skip-tally.ts';
import { commonestStyle, countDocxText, isLineBreak, linkStyle, merge, type Piece, voidStyle } from './run-pieces.ts';

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

interface Field {
  instruction: string;
  inResult: boolean;
}

/** Fields whose result is prose; all others (page numbers, references, dates) are left as they are. */
const proseField = /^\s*(?:HYPERLINK|TOC|QUOTE|TITLE|SUBJECT)\b/;

/** Elements around runs that are not carried over. */
const wrappers = new Set(['w:ins', 'w:moveTo', 'w:smartTag', 'w:customXml', 'w:dir', 'w:bdo']);

/** Properties, and marks beside the runs that are not carried over. */
const marks = /^w:(?:pPr|proofErr|smartTagPr|permStart|permEnd|move(?:From|To)Range(?:Start|End))$/;

export class ParagraphReader {
  private readonly part: string;
  private readonly source: string;
  private readonly skipped: SkipTally;
  /** Fields may begin in one paragraph and end in another: a table of contents always does. */
  private readonly fields: Field[] = [];
  private current: ReadParagraph = emptyParagraph();

  constructor(part: string, source: string, skipped: SkipTally) {
    this.part = part;
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
    const { name, attributes, children } = element;
    if (name === 'w:r') return this.piecesOfRun(element);
    if (name === 'w:sdt') return this.piecesOfControl(element);
    if (name === 'w:hyperlink' || (name === 'w:fldSimple' && proseField.test(attributes['w:instr'] ?? '')))
      return this.piecesOfLink(element);
    if (wrappers.has(name)) return this.pieces(children).map((piece) => widen(piece, element));
    if (name === 'w:del' || name === 'w:moveFrom') {
      this.skipped.add('hidden', countDocxText(element));
      this.current.deleted.push(element);
      return [];
    }
    if (!marks.test(name)) return [this.wholeElement(element)];
    this.skipped.add('markup', countDocxText(element));
    return [];
  }

  private piecesOfLink(link: MarkupElement): Piece[] {
    const open = this.source.slice(link.start, link.openEnd);
    return [this.shell(link, link, { open })];
  }

  /** A field to fill in: its properties stay around its text. One without words, such as a check box, is a thing. */
  private piecesOfControl(control: MarkupElement): Piece[] {
    const content = childElements(control, 'w:sdtContent')[0];
    const properties = childElements(control, 'w:sdtPr')[0];
    const isCheckBox = properties?.children.some((child) => child.kind === 'element' && /:checkbox$/i.test(child.name));
    if (content === undefined || isCheckBox || !/\p{L}/u.test(wordsOf(content))) return [this.wholeElement(control)];
    for (const child of control.children)
      if (child !== content)
        this.skipped.add('markup', child.kind === 'text' ? countCharacters(child.text) : countDocxText(child));
    // Bound to data elsewhere in the file, it would show the source again as soon as it is opened.
    const open = this.source.slice(control.start, content.openEnd).replace(/<w:dataBinding\b[^>]*?\/>/, '');
    return [this.shell(control, content, { open, copyOpen: open.replace(/<w:id\b[^>]*?\/>/, '') })];
  }

  /** What is around the children of `inside` stays around their text. */
  private shell(outer: MarkupElement, inside: MarkupElement, opening: { open: string; copyOpen?: string }): Piece {
    const { start, end } = outer;
    const pieces = this.pieces(inside.children);
    const style = commonestStyle(pieces);
    const close = this.source.slice(inside.closeStart, end);
    return {
      item: { kind: 'group', ...opening, close, style, items: merge(pieces, style), start, end },
      style: linkStyle,
    };
  }

  private piecesOfRun(run: MarkupElement): Piece[] {
    const properties = childElements(run, 'w:rPr')[0];
    const style = properties === undefined ? '' : normaliseStyle(this.source.slice(properties.start, properties.end));
    const isHidden = isOn(elementAtPath(properties, 'w:vanish'));
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
      (below) => below.name === 'w:txbxContent' && ancestorNamed(below, 'w:txbxContent', element) === undefined,
    );
    for (const below of elementsOf(element)) {
      const drawing = drawingReference(below);
      if (drawing !== undefined) this.current.noteKeys.push(`drawing ${this.part} ${drawing}`);
    }
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

/** The id of the chart or diagram that stands here; its text is in another part. */
function drawingReference({ name, attributes }: MarkupElement): string | undefined {
  if (name === 'c:chart' || name === 'cx:chart') return attributes['r:id'];
  return name === 'dgm:relIds' ? attributes['r:dm'] : undefined;
}

function wordsOf(element: MarkupElement): string {
  return [...elementsOf(element)].map((below) => (below.name === 'w:t' ? textOf(below) : '')).join('');
}

/** What is inside a wrapper that goes, such as an accepted insertion, takes the wrapper with it. */
function widen(piece: Piece, wrapper: MarkupElement): Piece {
  return { ...piece, item: { ...piece.item, start: wrapper.start, end: wrapper.end } };
}

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

function ancestorNamed(element: MarkupElement, name: string, top: MarkupElement): MarkupElement | undefined {
  const around = elementsAround(element.parent).find((at) => at.name === name || at === top);
  return around?.name === name ? around : undefined;
}

/** The box of the preferred choice that this one of the fallback repeats; none when the choice is only a picture. */
function twinOf(
  box: MarkupElement,
  fallback: MarkupElement,
  boxes: readonly MarkupElement[],
): MarkupElement | undefined {
  const both = fallback.parent;
  if (both === undefined) return undefined;
  const isIn = (element: MarkupElement, other: MarkupElement) => elementsAround(other).some((at) => at === element);
  const within = boxes.filter((other) => isIn(both, other));
  const repeated = within.filter((other) => isIn(fallback, other));
  return within.filter((other) => !isIn(fallback, other))[repeated.indexOf(box)];
}

/** A property without a value is on. */
function isOn(toggle: MarkupElement | undefined): boolean {
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
