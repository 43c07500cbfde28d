/** Cuts the text of a block at a number of characters: tags stay balanced, grapheme clusters stay whole. */
import { type InlineToken, stripInlineTags, tokenizeInline } from '../inline-tags.ts';

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
    } else {
      parts.push(token.raw);
      trackOpen(open, token);
    }
  }
  return (
    parts.join('') +
    open
      .toReversed()
      .map((number) => `</${number}>`)
      .join('')
  );
}

/** The UTF-16 index after `count` code points. */
export function codePointIndex(text: string, count: number): number {
  let index = 0;
  for (let i = 0; i < count && index < text.length; i++) index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return index;
}

/** The last boundary between grapheme clusters at or before `index`. */
export function graphemeBoundary(text: string, index: number): number {
  if (index >= text.length) return text.length;
  // A cluster is short; a window keeps the cost independent of the length of the text.
  const from = Math.max(0, index - 256);
  const window = text.slice(from, index + 256);
  const cluster = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(window).containing(index - from);
  return cluster === undefined ? index : from + cluster.index;
}

function trackOpen(open: number[], token: Exclude<InlineToken, { kind: 'text' }>): void {
  if (token.kind === 'open') open.push(token.number);
  else if (token.kind === 'close') open.pop();
}
