/** Inline Markdown as items: emphasis and links are groups, code, images and HTML tags are things without text. */
import type { Nodes, PhrasingContent } from 'mdast';
import type { RubyReading } from '../document.ts';
import { type Item, voidItem } from '../flow/inline-items.ts';
import { joinsWithoutSpace } from '../txt/layout.ts';

export interface InlineNodes {
  items: Item[];
  images: number;
  lineBreak: string | undefined;
  noteReferences: { start: number; end: number; label: string }[];
  ruby: RubyReading[];
}

export function inlineItems(nodes: readonly PhrasingContent[], source: string): InlineNodes {
  const result: InlineNodes = { items: [], images: 0, lineBreak: undefined, noteReferences: [], ruby: [] };
  result.items = itemsOf(nodes, source, result);
  return result;
}

/** Tags and comments of raw HTML are kept, the text between them is translated. */
export function htmlItems(source: string, offset: number): { items: Item[]; ruby: RubyReading[] } {
  const items: Item[] = [];
  const readings: RubyReading[] = [];
  let at = 0;
  for (const match of source.matchAll(/<!--[\s\S]*?-->|<ruby\b(?:[^<]|<(?!\/ruby)){0,300}<\/ruby\s*>|<[^<>]*>/gi)) {
    if (match.index > at) items.push(textItem(source.slice(at, match.index), offset + at, offset + match.index));
    const [start, end] = [offset + match.index, offset + match.index + match[0].length];
    const ruby = readRuby(match[0]);
    readings.push(...(ruby?.readings ?? []));
    items.push(ruby ? textItem(ruby.base, start, end) : voidItem(start, end));
    at = match.index + match[0].length;
  }
  if (at < source.length) items.push(textItem(source.slice(at), offset + at, offset + source.length));
  return { items, ruby: readings };
}

export function rangeOf(node: Nodes): { start: number; end: number } {
  const start = node.position?.start.offset ?? 0;
  return { start, end: node.position?.end.offset ?? start };
}

function textItem(text: string, start: number, end: number): Item {
  return { kind: 'text', text, start, end };
}

function itemsOf(nodes: readonly PhrasingContent[], source: string, result: InlineNodes): Item[] {
  const items: Item[] = [];
  for (let index = 0; index < nodes.length; index++) {
    const ruby = rubyAt(nodes, index, source);
    if (ruby === undefined) {
      items.push(...[itemsOfNode(nodes[index] as PhrasingContent, nodes[index + 1], source, result)].flat());
      continue;
    }
    result.ruby.push(...ruby.readings);
    items.push(ruby.item);
    index = ruby.last;
  }
  return withAttributes(items, source);
}

/** Its tags are nodes of their own, with the words between them. */
function rubyAt(
  nodes: readonly PhrasingContent[],
  first: number,
  source: string,
): { item: Item; readings: RubyReading[]; last: number } | undefined {
  const isTag = (node: PhrasingContent, pattern: RegExp) => node.type === 'html' && pattern.test(node.value);
  if (!isTag(nodes[first] as PhrasingContent, /^<ruby\b/i)) return undefined;
  // A reading for every letter of a word makes some dozens of nodes.
  const length = nodes.slice(first, first + 100).findIndex((node) => isTag(node, /^<\/ruby\b/i));
  const last = first + length;
  const end = nodes[last];
  if (length < 0 || end === undefined) return undefined;
  const [from, to] = [rangeOf(nodes[first] as Nodes).start, rangeOf(end).end];
  const ruby = readRuby(source.slice(from, to));
  return ruby && { item: textItem(joinLines(ruby.base), from, to), readings: ruby.readings, last };
}

/** Pandoc's `[words]{.class}`: the brackets and the braces are markup. */
function spansOf(value: string, source: string, start: number, end: number): Item[] {
  const text = (): Item[] => [{ kind: 'text', text: joinLines(value), start, end }];
  // With escapes in it the value is no longer where the source is.
  if (!value.includes(']{') || source.slice(start, end) !== value) return text();
  const items: Item[] = [];
  let done = 0;
  for (const match of value.matchAll(/\[([^[\]{}\r\n]+)\]\{[^{}\r\n]*\}/g)) {
    const [at, inner] = [match.index, match[1] ?? ''];
    if (at > done) items.push(textItem(joinLines(value.slice(done, at)), start + done, start + at));
    const words = textItem(inner, start + at + 1, start + at + 1 + inner.length);
    const marks = { open: '[', close: match[0].slice(1 + inner.length) };
    done = at + match[0].length;
    items.push({ kind: 'group', ...marks, style: undefined, items: [words], start: start + at, end: start + done });
  }
  if (done < value.length) items.push(textItem(joinLines(value.slice(done)), start + done, end));
  return items;
}

/** `{width=50%}` right behind a link, a picture or code belongs to it. */
function withAttributes(items: Item[], source: string): Item[] {
  const result: Item[] = [];
  for (const item of items) {
    const before = result.at(-1);
    const braces =
      item.kind === 'text' && before !== undefined && before.kind !== 'text' && before.kind !== 'break'
        ? /^\{[#.\w][^{}\r\n]*\}/.exec(item.text)?.[0]
        : undefined;
    if (braces === undefined || item.kind !== 'text' || !source.startsWith(braces, item.start)) {
      result.push(item);
      continue;
    }
    if (before?.kind === 'group') before.close += braces;
    else if (before?.kind === 'void') (before.pieces.at(-1) as { after: string }).after += braces;
    (before as Item).end += braces.length;
    const rest = item.text.slice(braces.length);
    if (rest !== '') result.push({ ...item, text: rest, start: item.start + braces.length });
  }
  return result;
}

function itemsOfNode(
  node: PhrasingContent,
  next: PhrasingContent | undefined,
  source: string,
  result: InlineNodes,
): Item | Item[] {
  const { start, end } = rangeOf(node);
  switch (node.type) {
    case 'text':
      return spansOf(node.value, source, start, end);
    case 'break': {
      result.lineBreak ??= source.slice(start, next === undefined ? end : rangeOf(next).start);
      return { kind: 'break', start, end };
    }
    case 'emphasis':
    case 'strong':
    case 'delete':
    case 'link':
    case 'linkReference': {
      const first = node.children[0];
      const last = node.children.at(-1);
      // `<https://…>` and bare addresses are their own text.
      const isAddress = node.type === 'link' && !source.slice(start, end).includes('](');
      if (first === undefined || last === undefined || isAddress) return voidItem(start, end, true);
      const open = source.slice(start, rangeOf(first).start);
      const close = referenceEnd(node) ?? source.slice(rangeOf(last).end, end);
      const items = itemsOf(node.children, source, result);
      return { kind: 'group', open, close, style: undefined, items, start, end };
    }
    case 'image':
    case 'imageReference':
      result.images++;
      return pictureItem(node.alt ?? '', source, { start, end, close: referenceEnd(node) });
    case 'footnoteReference':
      result.noteReferences.push({ start, end, label: node.identifier });
      return voidItem(start, end);
    default:
      return voidItem(start, end, node.type === 'inlineCode' || node.type === 'html');
  }
}

/** The description of a picture is text; where it is written with escapes it stays as it is. */
function pictureItem(
  alt: string,
  source: string,
  { start, end, close }: { start: number; end: number; close: string | undefined },
): Item {
  const from = start + 2;
  const isPlain = alt !== '' && source.startsWith(`![${alt}]`, start);
  if (!isPlain || !/\p{L}/u.test(alt) || /[\r\n]|\.(?:png|jpe?g|gif|svg|webp)$/i.test(alt)) return voidItem(start, end);
  const to = from + alt.length;
  const marks = { open: '![', close: close ?? source.slice(to, end) };
  return { kind: 'group', ...marks, style: undefined, items: [textItem(alt, from, to)], start, end, once: true };
}

/**
 * The text of `[EPUB]` and `[EPUB][]` is the name of its target too. When it is translated, the name has to be written behind it,
 * as in `[электронная книга][EPUB]`, or the link is lost.
 */
function referenceEnd(node: PhrasingContent): string | undefined {
  if (node.type !== 'linkReference' && node.type !== 'imageReference') return undefined;
  return node.referenceType === 'full' ? undefined : `][${node.label ?? node.identifier}]`;
}

/**
 * A line wrapped in the source continues the sentence; between ideographs without a space. Line by line: a pattern with blanks around a
 * break looks for one from every blank of a long row of them.
 */
function joinLines(text: string): string {
  const lines = text
    .split(/\r\n|[\r\n]/)
    .map((line, i, { length }) =>
      line.slice(i === 0 ? 0 : line.search(/[^ \t]|$/), i === length - 1 ? undefined : textEnd(line)),
    );
  const joined = lines.flatMap((line, i) => {
    const before = lines[i - 1];
    if (before === undefined) return line;
    const isTight = joinsWithoutSpace(before.charCodeAt(before.length - 1)) && joinsWithoutSpace(line.charCodeAt(0));
    return isTight ? line : [' ', line];
  });
  return joined.join('');
}

function textEnd(line: string): number {
  let end = line.length;
  while (line[end - 1] === ' ' || line[end - 1] === '\t') end--;
  return end;
}

/** Ruby in Markdown is HTML: `<ruby>漢字<rt>かんじ</rt></ruby>`. The base is text of the paragraph, the reading is not. */
interface Ruby {
  base: string;
  readings: RubyReading[];
}

/** Undefined when there is more in it than words: then its tags are kept like those of any other HTML. */
function readRuby(source: string): Ruby | undefined {
  const inner = /^<ruby\b[^<>]*>([^&\\*_`]*)<\/ruby\s*>$/i.exec(source)?.[1];
  if (inner === undefined) return undefined;
  const readings: RubyReading[] = [];
  let [base, word, reading, inside] = ['', '', '', ''];
  const end = () => {
    if (word && reading) readings.push({ base: word, reading });
    if (reading) [word, reading] = ['', ''];
  };
  for (const [piece, slash, name] of inner.matchAll(/<(\/?)(\w+)[^<>]*>|[^<>]+|[<>]/g)) {
    if (name !== undefined) {
      if (!/^(?:rb|rt|rp|rtc)$/i.test(name)) return undefined;
      inside = slash ? '' : name.toLowerCase();
    } else if (inside === 'rt') reading += piece;
    else if (inside === '' || inside === 'rb') {
      end();
      base += piece;
      word += piece;
    }
  }
  end();
  return { base, readings };
}
