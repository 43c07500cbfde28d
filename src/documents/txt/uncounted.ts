/**
 * The stretches of a plain text that cost nothing: the frame of a distributor and the readings of ruby. Found before the
 * text is cut at a limit, because the limit counts characters that cost something.
 */
import { rubyReadings } from './aozora.ts';
import { countTextCharacters } from './limit-text.ts';
import { isBlank, type Lines, lineText } from './lines.ts';

/** Starts and ends of the stretches by turns, in order and apart from each other. */
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
