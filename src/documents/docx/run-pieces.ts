/** Runs as items with their formatting, and how runs of equal formatting become one. */
import type { Item } from '../flow/inline-items.ts';
import { countTextWith, type MarkupElement } from '../markup/markup.ts';

/** Item of a run, before equal neighbours are merged. */
export interface Piece {
  item: Item;
  /** Formatting as markup, or one of the two below. */
  style: string;
}

/** Of an element around runs, and of a thing without text: neither is merged with its neighbours. */
export const linkStyle = '\0link';
export const voidStyle = '\0void';

export function commonestStyle(pieces: readonly Piece[]): string {
  const lengths = new Map<string, number>();
  for (const { item, style } of pieces) {
    if (item.kind === 'text') lengths.set(style, (lengths.get(style) ?? 0) + item.text.length);
  }
  return [...lengths].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}

/** Neighbours of equal formatting become one text, or one group when it is not the base; voids in a row one void. */
export function merge(pieces: readonly Piece[], base: string): Item[] {
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

/** Every character below, with line breaks and the hyphens that the format writes as elements. */
export function countDocxText(root: MarkupElement): number {
  return countTextWith(root, (element) => (element.name === 'w:noBreakHyphen' || isLineBreak(element) ? 1 : 0));
}

export function isLineBreak(element: MarkupElement): boolean {
  if (element.name === 'w:cr') return true;
  return element.name === 'w:br' && (element.attributes['w:type'] ?? 'textWrapping') === 'textWrapping';
}
