/**
 * Turns a run of inline nodes into the text of a block. Inline elements become numbered tags. Elements around the whole
 * run become its shell, and things without text at its edges stay where they are. Neither costs the engine a tag.
 */
import { type BlockKind, countCharacters, type RubyReading } from '../document.ts';
import type { MarkupElement, MarkupNode } from '../markup/markup.ts';
import type { SkipTally } from '../skip-tally.ts';
import { isLineBreak, isMarker, roleName, skipReasonOf } from './elements.ts';
import { type InlineTag, type Item, serialise } from './inline-writer.ts';

export interface InlineRun {
  text: string;
  /** The text without its tags. */
  plain: string;
  /** Of `plain`. */
  characters: number;
  ruby?: readonly RubyReading[];
  tags: InlineTag[];
  /** Elements that wrap the whole text, outermost first. */
  shells: MarkupElement[];
  /** The range of the source that `text` stands for, inside the shells. */
  start: number;
  end: number;
  /** Where the run as a whole begins and ends, without blanks around it. */
  runStart: number;
  runEnd: number;
  /** Source of the first line break; undefined when the text has one line. */
  lineBreak: string | undefined;
  /** Where blanks that indent the text begin (U+3000 in Chinese and Japanese books); they are no part of it. */
  indentStart: number;
}

interface Context {
  source: string;
  skipped: SkipTally;
  /** Characters met that are to be found again in the text or as whitespace. */
  characters: number;
  ruby: RubyReading[];
}

/**
 * The run's text; undefined when it holds nothing but blanks and things without text. Everything the text does not
 * hold is added to `skipped`.
 */
export function readInlineRun(
  nodes: readonly MarkupNode[],
  source: string,
  skipped: SkipTally,
  preformatted: boolean,
): InlineRun | undefined {
  const context: Context = { source, skipped, characters: 0, ruby: [] };
  const items = buildItems(nodes, context);
  const core = findCore(items);
  if (core === undefined) {
    skipped.add('whitespace', context.characters);
    return undefined;
  }
  const { text, tags, literals } = serialise(core.items, preformatted);
  skipped.add('markup', literals);
  const first = core.items[0] as Item;
  const last = core.items.at(-1) as Item;
  const [start, end] = preformatted ? [first.start, last.end] : trimRange(source, first.start, last.end);
  const firstBreak = preformatted ? undefined : findBreak(core.items);
  const kept = countCharacters(text.plain);
  skipped.add('whitespace', context.characters - kept - literals);
  const [runStart, runEnd] = trimRange(source, (nodes[0] as MarkupNode).start, (nodes.at(-1) as MarkupNode).end);
  const lineBreak = firstBreak === undefined ? undefined : source.slice(firstBreak.start, firstBreak.end);
  return {
    text: text.tagged,
    plain: text.plain,
    characters: kept,
    ...(context.ruby.length > 0 ? { ruby: context.ruby } : {}),
    tags,
    shells: core.shells,
    start: preformatted ? start : Math.min(end, indentEnd(source, start)),
    end,
    indentStart: start,
    runStart,
    runEnd,
    lineBreak: preformatted ? '\n' : lineBreak,
  };
}

/** Every code point below the nodes, a line break counting as one. */
export function countText(node: MarkupNode): number {
  if (node.kind === 'text') return countCharacters(node.text);
  let count = 0;
  const stack: MarkupNode[] = [node];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.kind === 'text') count += countCharacters(next.text);
    else if (isLineBreak(next)) count += 1;
    else for (const child of next.children) stack.push(child);
  }
  return count;
}

/** Annotations are dropped from the translation, so they must not decide what it is: `<sup><ruby>1<rt>一</rt></ruby></sup>`. */
function textWithoutRuby(element: MarkupElement): string {
  if (skipReasonOf(element) === 'ruby-annotation') return '';
  return element.children.map((child) => (child.kind === 'text' ? child.text : textWithoutRuby(child))).join('');
}

/** `<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>` has two; brackets for browsers that know no ruby are left out. */
function readingsOf(ruby: MarkupElement): RubyReading[] {
  const found: RubyReading[] = [];
  let base = '';
  for (const child of ruby.children) {
    if (child.kind === 'text') base += child.text;
    else if (skipReasonOf(child) !== 'ruby-annotation') base += textWithoutRuby(child);
    else if (roleName(child) !== 'rp') {
      const reading = child.children
        .map((each) => (each.kind === 'text' ? each.text : ''))
        .join('')
        .trim();
      if (base.trim() !== '' && reading !== '') found.push({ base: base.trim(), reading });
      base = '';
    }
  }
  return found;
}

function buildItems(nodes: readonly MarkupNode[], context: Context): Item[] {
  const items: Item[] = [];
  for (const node of nodes) {
    const { start, end } = node;
    if (node.kind === 'text') {
      context.characters += countCharacters(node.text);
      items.push({ kind: 'text', text: node.text, start, end });
      continue;
    }
    const name = roleName(node);
    const reason = skipReasonOf(node);
    if (name === 'ruby') context.ruby.push(...readingsOf(node));
    if (isLineBreak(node)) {
      context.characters += 1;
      items.push({ kind: 'break', start, end });
    } else if (reason !== undefined) {
      context.skipped.add(reason, countText(node));
      if (reason !== 'ruby-annotation') items.push({ kind: 'void', start, end, isSeen: reason === 'markup' });
    } else if (end - start < 600 && isMarker(node, textWithoutRuby(node))) {
      context.skipped.add('markup', countText(node));
      items.push({ kind: 'void', start, end, isSeen: true });
    } else {
      for (const item of elementItems(node, name, buildItems(node.children, context))) items.push(item);
    }
  }
  return mergeTwins(items, context.source);
}

function elementItems(element: MarkupElement, name: string, children: Item[]): Item[] {
  const { start, end } = element;
  const first = children.findIndex(hasWords);
  if (first < 0) {
    if (name === 'wbr') return children;
    const isSeen =
      name === 'img' ||
      name === 'input' ||
      name === 'object' ||
      children.some((item) => item.kind === 'void' && item.isSeen);
    const isBlank = children.length > 0 && children.every((item) => item.kind === 'text' || item.kind === 'break');
    // Blanks in italics are blanks: no tag is needed for them.
    return isBlank && element.attributes.id === undefined ? children : [{ kind: 'void', start, end, isSeen }];
  }
  const last = children.findLastIndex(hasWords);
  const edges = [...children.slice(0, first), ...children.slice(last + 1)];
  // Its tags can be left out only together with all that stands between them.
  if (isTransparent(element, name) && edges.every((item) => item.kind === 'text')) {
    if (!element.implied) {
      (children[first] as Item).start = start;
      (children[last] as Item).end = end;
    }
    return children;
  }
  return [{ kind: 'element', element, children, start, end }];
}

/** Elements that are not carried over to the translation. */
function isTransparent(element: MarkupElement, name: string): boolean {
  if (name === 'ruby' || name === 'rb' || name === 'wbr' || element.implied) return true;
  // In the contents of a book an entry has to be a link or a `<span>`, never bare text.
  if (name === 'span') return Object.keys(element.attributes).length === 0 && element.parent?.name !== 'li';
  // An abbreviation is one in its own language only: a novel has thousands of `<abbr>Mr.</abbr>`, each a tag less.
  return (name === 'abbr' || name === 'acronym') && element.attributes.id === undefined;
}

/** `<i>a</i><i>b</i>` as converters write it is one piece of italic text, not two. */
function mergeTwins(items: Item[], source: string): Item[] {
  const merged: Item[] = [];
  for (const item of items) {
    const before = merged.at(-1);
    if (before?.kind === 'element' && item.kind === 'element' && areTwins(before.element, item.element, source)) {
      for (const child of item.children) before.children.push(child);
      before.end = item.end;
    } else if (before?.kind === 'void' && item.kind === 'void' && before.end === item.start) {
      before.end = item.end;
      before.isSeen ||= item.isSeen;
    } else {
      merged.push(item);
    }
  }
  return merged;
}

function areTwins(a: MarkupElement, b: MarkupElement, source: string): boolean {
  if (a.name !== b.name || a.name === 'a' || a.openEnd - a.start !== b.openEnd - b.start) return false;
  // Between twins of different parents stands a tag that the merged text would swallow: `<span><i>a</i></span><i>b</i>`.
  if (a.attributes.id !== undefined || a.parent !== b.parent) return false;
  return source.slice(a.start, a.openEnd) === source.slice(b.start, b.openEnd);
}

function findCore(items: Item[]): { items: Item[]; shells: MarkupElement[] } | undefined {
  const shells: MarkupElement[] = [];
  let core = items;
  for (;;) {
    const from = core.findIndex(hasWords);
    if (from < 0) return undefined;
    core = core.slice(from, core.findLastIndex(hasWords) + 1);
    const only = core.length === 1 ? core[0] : undefined;
    if (only?.kind !== 'element') return { items: core, shells };
    shells.push(only.element);
    core = only.children;
  }
}

function hasWords(item: Item): boolean {
  if (item.kind === 'text') return !isBlankText(item.text);
  return item.kind === 'element' && item.children.some(hasWords);
}

function findBreak(items: readonly Item[]): Item | undefined {
  for (const item of items) {
    if (item.kind === 'break') return item;
    const inner = item.kind === 'element' ? findBreak(item.children) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** Indenting blanks may be written as references. */
const indent = /(?:\s|&(?:nbsp|#160|#x0*a0|#12288|#x0*3000);)*/iy;

function indentEnd(source: string, start: number): number {
  indent.lastIndex = start;
  return indent.test(source) ? indent.lastIndex : start;
}

function isBlankText(text: string): boolean {
  return !/[^ \t\n\r\f]/.test(text);
}

function trimRange(source: string, start: number, end: number): [number, number] {
  let from = start;
  let to = end;
  while (from < to && isBlankAt(source, from)) from++;
  while (to > from && isBlankAt(source, to - 1)) to--;
  return [from, to];
}

/** A space, a tab, or the end of a line or of a page. */
function isBlankAt(source: string, index: number): boolean {
  const code = source.charCodeAt(index);
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0c || code === 0x0d;
}

/** A block of a page: its text, and where it stands in the markup. */
export interface PageBlock extends InlineRun {
  kind: BlockKind;
  /** 1 to 6 for headings, else 0. */
  level: number;
  /** The element the run stands in. */
  container: MarkupElement;
  /** The run is all the container holds. */
  isWhole: boolean;
  /** Set for a text outside the paragraphs: where it is written instead. */
  place?: InnerPlace;
}

/** Where a text outside the paragraphs is written. */
export type InnerPlace =
  | { kind: 'attribute'; element: MarkupElement; name: string }
  | { kind: 'range'; start: number; end: number };
