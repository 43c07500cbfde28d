/**
 * The inside of a paragraph of an XML word-processing format as items, and how items become the text of a block. Formats
 * differ in their elements only: each builds items from its own markup and says how text is written back.
 */
import { countCharacters } from '../document.ts';

/** `start` and `end` are the range of the source that goes when the item is written anew. */
export type Item =
  | { kind: 'text'; text: string; start: number; end: number }
  | { kind: 'break'; start: number; end: number }
  | VoidItem
  /** Markup around a run. `style` is whatever the format needs to write the text inside. */
  | {
      kind: 'group';
      open: string;
      /** What a copy of the block has in its place, where something of it may stand only once. */
      copyOpen?: string;
      close: string;
      style: string | undefined;
      /** Where neither the markup nor the style shows it: a style of that name is italic. */
      isItalic?: boolean;
      items: Item[];
      start: number;
      end: number;
      /** A copy of the block leaves it out with its text: a picture is shown once. */
      once?: true;
    };

/** A thing without text of its own. Several in a row, such as the pieces of a field, are one. */
export interface VoidItem {
  kind: 'void';
  start: number;
  end: number;
  pieces: VoidPiece[];
}

/** Written as `source.slice(from, to)` between `before` and `after`. */
export interface VoidPiece {
  from: number;
  to: number;
  before: string;
  after: string;
  /** Tabs and spaces may stand twice in a bilingual document; images, notes and bookmarks may not. */
  repeatable: boolean;
}

export type Group = Extract<Item, { kind: 'group' }>;

/** What tag n stands for, at index n - 1. */
export type FlowTag = Group | VoidItem | { kind: 'literal'; text: string };

/** A thing that takes its whole range with it. */
export function voidItem(start: number, end: number, repeatable = false): VoidItem {
  return { kind: 'void', start, end, pieces: [{ from: start, to: end, before: '', after: '', repeatable }] };
}

export interface FlowText {
  text: string;
  tags: FlowTag[];
  characters: number;
  /** Characters of the items that are not in the text: blanks at the edges, and literal tags carried as standalone ones. */
  blankCharacters: number;
  literalCharacters: number;
  /** The range of the source the text stands for. */
  start: number;
  end: number;
  /** Things at the edges of that range, written before and after the text as they are. */
  lead: Item[];
  trail: Item[];
  /** Blanks between the text and a thing at the edge (the number of a note, a picture): without them the two would touch. */
  leadBlank: string;
  trailBlank: string;
}

/** Undefined when there is no text but blanks. `collapses`: runs of white space in the markup are one blank. */
export function readFlowText(items: readonly Item[], collapses: boolean): FlowText | undefined {
  const total = countItems(items);
  const edges = findEdges(items);
  if (edges === undefined) return undefined;
  const core = items.slice(edges.from, edges.to);
  const tags: FlowTag[] = [];
  const literals = { characters: 0 };
  const tagged = normaliseBlanks(serialise(core, tags, literals), collapses);
  const { text, plain, before, after } = trimText(tagged);
  const characters = countCharacters(plain);
  return {
    text,
    tags,
    characters,
    blankCharacters: total - characters - literals.characters,
    literalCharacters: literals.characters,
    start: (items[edges.first] as Item).start,
    end: (items[edges.last - 1] as Item).end,
    lead: items.slice(edges.first, edges.from),
    trail: items.slice(edges.to, edges.last),
    leadBlank: items.slice(0, edges.from).some(isThing) ? before : '',
    trailBlank: items.slice(edges.to).some(isThing) ? after : '',
  };
}

/** Characters in text and line breaks. */
export function countItems(items: readonly Item[]): number {
  return items.reduce((sum, item) => {
    if (item.kind === 'text') return sum + countCharacters(item.text);
    if (item.kind === 'break') return sum + 1;
    return item.kind === 'group' ? sum + countItems(item.items) : sum;
  }, 0);
}

/**
 * Things without text at the edges cost the engine no tag. `first` to `last` is wider than `from` to `to`. The wider
 * range includes the things that share an element with the text and so have to be written with it.
 */
function findEdges(items: readonly Item[]): { first: number; from: number; to: number; last: number } | undefined {
  let from = 0;
  let to = items.length;
  while (from < to && isEmpty(items[from] as Item)) from++;
  while (to > from && isEmpty(items[to - 1] as Item)) to--;
  if (from === to) return undefined;
  let first = from;
  let last = to;
  while (first > 0 && (items[first - 1] as Item).end > (items[first] as Item).start) first--;
  while (last < items.length && (items[last] as Item).start < (items[last - 1] as Item).end) last++;
  return { first, from, to, last };
}

function isEmpty(item: Item): boolean {
  if (item.kind === 'text') return /^\s*$/.test(item.text);
  return item.kind === 'group' ? item.items.every(isEmpty) : true;
}

/** Anything but blanks. */
function isThing(item: Item): boolean {
  return item.kind === 'void' || (item.kind === 'group' && item.items.some(isThing));
}

const literalTag = /<(?:\/?\d{1,6}|\d{1,6}\/)>/g;

function serialise(items: readonly Item[], tags: FlowTag[], literals: { characters: number }): string {
  return items
    .map((item) => {
      if (item.kind === 'break') return '\n';
      if (item.kind === 'text') {
        // A newline of the source is a blank; only a break is one in the text.
        return item.text.replace(/\r\n|[\r\n]/g, ' ').replace(literalTag, (raw) => {
          tags.push({ kind: 'literal', text: raw });
          literals.characters += raw.length;
          return `<${tags.length}/>`;
        });
      }
      tags.push(item);
      const number = tags.length;
      return item.kind === 'void' ? `<${number}/>` : `<${number}>${serialise(item.items, tags, literals)}</${number}>`;
    })
    .join('');
}

function normaliseBlanks(tagged: string, collapses: boolean): string {
  return collapses ? tagged.replace(/[ \t]+/g, ' ').replace(/ ?\n ?/g, '\n') : tagged;
}

/** Blanks at the edges, also just inside a tag there, are no part of the text. */
function trimText(tagged: string): { text: string; plain: string; before: string; after: string } {
  const [, opened = '', before = ''] = /^((?:<\d{1,6}>)*)(\s*)/.exec(tagged) ?? [];
  const inner = tagged.slice(opened.length + before.length);
  const [closed = ''] = /(?:<\/\d{1,6}>)*$/.exec(inner) ?? [];
  const open = inner.slice(0, inner.length - closed.length);
  const kept = open.trimEnd();
  // Of blanks alone, both edges are the same blanks.
  const after = open === '' ? before : open.slice(kept.length);
  const text = `${opened}${kept}${closed}`;
  return { text, plain: text.replace(/<\/?\d{1,6}\/?>/g, ''), before, after };
}
