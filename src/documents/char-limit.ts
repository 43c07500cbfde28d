/** Cuts the text of a block at a number of characters: tags stay balanced, grapheme clusters stay whole. */
import { stripInlineTags, tokenizeInline } from '../inline-tags.ts';

/** The longest beginning of `text` with at most `maxCharacters` code points outside its tags. */
export function cutInlineText(text: string, maxCharacters: number): string {
  const plain = stripInlineTags(text);
  const end = graphemeBoundary(plain, codePointIndex(plain, maxCharacters));
  if (end === plain.length) return text;
  const parts: string[] = [];
  const open: number[] = [];
  let left = end;
  for (const token of tokenizeInline(text)) {
    if (left === 0) break;
    if (token.kind === 'text') {
      parts.push(token.text.slice(0, left));
      left -= Math.min(left, token.text.length);
      continue;
    }
    parts.push(token.raw);
    if (token.kind === 'open') open.push(token.number);
    else if (token.kind === 'close') open.pop();
  }
  const closing = open.toReversed().map((number) => `</${number}>`);
  return [...parts, ...closing].join('');
}

/** The UTF-16 index after `count` code points. */
function codePointIndex(text: string, count: number): number {
  let index = 0;
  for (let i = 0; i < count && index < text.length; i++) index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return index;
}

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * The last boundary between grapheme clusters at or before `index`. A newline always ends a cluster, so the segmenter only
 * sees the line of the cut, and at most 2,000 units of it.
 */
export function graphemeBoundary(text: string, index: number): number {
  const lineStart = Math.max(text.lastIndexOf('\n', index - 1) + 1, index - 1000, 0);
  const cluster = segmenter.segment(text.slice(lineStart, index + 1000)).containing(index - lineStart);
  return cluster === undefined ? index : lineStart + cluster.index;
}
