/** What characters of a plain text cost, and where a limit cuts it. */
import { graphemeBoundary } from '../char-limit.ts';
import { rubyReadings } from './aozora.ts';
import { isBlank, type Lines, lineText } from './lines.ts';

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

/**
 * The stretches of a plain text that cost nothing: the frame of a distributor and the readings of ruby. Found before the
 * text is cut at a limit, because the limit counts characters that cost something. Starts and ends by turns, in order and
 * apart from each other.
 */
export type Uncounted = readonly number[];

export function findUncounted(text: string, lines: Lines, frame: ReadonlySet<number>, aozora: boolean): Uncounted {
  const bounds: number[] = [];
  for (let i = 0; i < lines.count; i++) {
    if (frame.has(i)) {
      const start = lines.start[i] as number;
      const end = i + 1 < lines.count ? (lines.start[i + 1] as number) : text.length;
      if (bounds.at(-1) === start) bounds[bounds.length - 1] = end;
      else bounds.push(start, end);
    } else if (aozora && !isBlank(lines, i)) {
      const from = lines.from[i] as number;
      for (const [start, end] of rubyReadings(lineText(text, lines, i))) bounds.push(from + start, from + end);
    }
  }
  return bounds;
}

/** Characters of the free stretches that begin before `limit`; none of them is ever cut. */
export function countUncounted(text: string, bounds: Uncounted, limit = text.length): number {
  let count = 0;
  for (let i = 0; i < bounds.length && (bounds[i] as number) < limit; i += 2)
    count += countTextCharacters(text, bounds[i], bounds[i + 1]);
  return count;
}
