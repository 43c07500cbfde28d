import { graphemeBoundary } from '../char-limit.ts';

/**
 * The opening of a plain text: as many UTF-16 units as hold the first `charLimit` counted characters. CRLF counts as one.
 * A grapheme cluster (a family emoji, a letter with its combining marks) is never split, so the cut may come earlier.
 * `freeBounds` are the starts and ends of stretches that are not counted.
 */
export function limitText(text: string, charLimit: number, freeBounds: readonly number[] = []): string {
  // Every character takes at least one unit, so a short text needs no counting.
  if (text.length <= charLimit) return text;
  let count = 0;
  let offset = 0;
  let next = 0;
  for (;;) {
    // Free stretches are passed over as a whole, also at the very end of the range.
    while (freeBounds[next] === offset) {
      offset = freeBounds[next + 1] as number;
      next += 2;
    }
    if (offset >= text.length || count >= charLimit) break;
    offset += unitsAt(text, offset);
    count++;
  }
  return offset >= text.length ? text : text.slice(0, graphemeBoundary(text, offset));
}

/** Code points with CRLF as one: what a plain text costs. */
export function countTextCharacters(text: string, from = 0, to = text.length): number {
  let count = to - from;
  for (let i = from; i < to - 1; i++) {
    if (unitsAt(text, i) === 2) {
      count--;
      i++;
    }
  }
  return count;
}

function unitsAt(text: string, offset: number): 1 | 2 {
  const code = text.charCodeAt(offset);
  if ((code & 0xfc00) === 0xd800) return (text.charCodeAt(offset + 1) & 0xfc00) === 0xdc00 ? 2 : 1;
  return code === 0x0d && text.charCodeAt(offset + 1) === 0x0a ? 2 : 1;
}
