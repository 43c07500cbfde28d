/** Inline Markdown as items: emphasis and links are groups, code, images and HTML tags are things without text. */
import type { Nodes, PhrasingContent } from 'mdast';
import { type Item, voidItem } from '../flow/inline-items.ts';
import { joinsWithoutSpace } from '../txt/layout.ts';

export interface InlineNodes {
  items: Item[];
  images: number;
  lineBreak: string | undefined;
  noteReferences: { start: number; end: number; label: string }[];
}

export function inlineItems(nodes: readonly PhrasingContent[], source: string): InlineNodes {
  const result: InlineNodes = { items: [], images: 0, lineBreak: undefined, noteReferences: [] };
  result.items = itemsOf(nodes, source, result);
  return result;
}

/** Tags and comments of raw HTML are kept, the text between them is translated. */
export function htmlItems(source: string, offset: number): Item[] {
  const items: Item[] = [];
  let at = 0;
  for (const match of source.matchAll(/<!--[\s\S]*?-->|<[^<>]*>/g)) {
    if (match.index > at) items.push(textItem(source.slice(at, match.index), offset + at));
    items.push(voidItem(offset + match.index, offset + match.index + match[0].length));
    at = match.index + match[0].length;
  }
  if (at < source.length) items.push(textItem(source.slice(at), offset + at));
  return items;
}

export function rangeOf(node: Nodes): { start: number; end: number } {
  const start = node.position?.start.offset ?? 0;
  return { start, end: node.position?.end.offset ?? start };
}

function textItem(text: string, start: number): Item {
  return { kind: 'text', text, start, end: start + text.length };
}

function itemsOf(nodes: readonly PhrasingContent[], source: string, result: InlineNodes): Item[] {
  return nodes.map((node, index): Item => {
    const { start, end } = rangeOf(node);
    switch (node.type) {
      case 'text':
        return { kind: 'text', text: joinLines(node.value), start, end };
      case 'break': {
        const next = nodes[index + 1];
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
        const close = source.slice(rangeOf(last).end, end);
        const items = itemsOf(node.children, source, result);
        return { kind: 'group', open, close, style: undefined, items, start, end };
      }
      case 'image':
      case 'imageReference':
        result.images++;
        return voidItem(start, end);
      case 'footnoteReference':
        result.noteReferences.push({ start, end, label: node.identifier });
        return voidItem(start, end);
      default:
        return voidItem(start, end, node.type === 'inlineCode' || node.type === 'html');
    }
  });
}

/** A line wrapped in the source continues the sentence; between ideographs without a space. */
function joinLines(text: string): string {
  return text.replace(/[ \t]*(?:\r\n|[\r\n])[ \t]*/g, (gap: string, offset: number) => {
    const before = text.charCodeAt(offset - 1);
    const after = text.charCodeAt(offset + gap.length);
    return joinsWithoutSpace(before) && joinsWithoutSpace(after) ? '' : ' ';
  });
}
