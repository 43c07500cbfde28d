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
      close: string;
      style: string | undefined;
      items: Item[];
      start: number;
      end: number;
    };

/** A thing without text of its own, written as `source.slice(from, to)` between `before` and `after`. */
export interface VoidItem {
  kind: 'void';
  start: number;
  end: number;
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
  return { kind: 'void', start, end, from: start, to: end, before: '', after: '', repeatable };
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
}

/** Undefined when there is no text but blanks. `collapses`: runs of white space in the markup are one blank. */
export function readFlowText(items: readonly Item[], collapses: boolean): FlowText | undefined {
  const total = countItems(items);
  const core = trimItems(items);
  if (core.length === 0) return undefined;
  const tags: FlowTag[] = [];
  const literals = { characters: 0 };
  const tagged = normaliseBlanks(serialise(core, tags, literals), collapses);
  const { text, plain } = trimText(tagged);
  const characters = countCharacters(plain);
  return {
    text,
    tags,
    characters,
    blankCharacters: total - characters - literals.characters,
    literalCharacters: literals.characters,
    start: (core[0] as Item).start,
    end: (core.at(-1) as Item).end,
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

/** Things without text at the edges stay where they are and cost the engine no tag. */
function trimItems(items: readonly Item[]): Item[] {
  let from = 0;
  let to = items.length;
  while (from < to && isEmpty(items[from] as Item)) from++;
  while (to > from && isEmpty(items[to - 1] as Item)) to--;
  if (from === to) return [];
  // Things in the same element as the text go with it, so they have to be written with it.
  while (from > 0 && (items[from - 1] as Item).end > (items[from] as Item).start) from--;
  while (to < items.length && (items[to] as Item).start < (items[to - 1] as Item).end) to++;
  return items.slice(from, to);
}

function isEmpty(item: Item): boolean {
  if (item.kind === 'text') return /^\s*$/.test(item.text);
  return item.kind === 'group' ? item.items.every(isEmpty) : true;
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
function trimText(tagged: string): { text: string; plain: string } {
  const text = tagged.replace(/^((?:<\d{1,6}>)*)\s+/, '$1').replace(/\s+((?:<\/\d{1,6}>)*)$/, '$1');
  return { text, plain: text.replace(/<\/?\d{1,6}\/?>/g, '') };
}
