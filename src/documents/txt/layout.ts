/**
 * Which of the two conventions of plain text a book follows: one paragraph per line, or paragraphs wrapped at a column.
 * Wrapped paragraphs are separated by blank lines or indentation. A line was wrapped when the first word of the next
 * one would no longer have fitted. Verse and lists fail that test line after line, wrapped prose passes it.
 */
import { isBlank, type Lines } from './lines.ts';

export type Layout = ReturnType<typeof detectLayout>;

export function detectLayout(text: string, lines: Lines) {
  const widths: number[] = [];
  let groups = 0;
  let singles = 0;
  for (let i = 0; i < lines.count; i++) {
    if (isBlank(lines, i)) continue;
    if (!isBlank(lines, i + 1)) widths.push(columns(text, lines.start[i] as number, lines.to[i] as number));
    if (isBlank(lines, i - 1)) {
      groups++;
      if (isBlank(lines, i + 1)) singles++;
    }
  }
  return {
    /** Columns the prose was wrapped at; undefined when every line is a paragraph. */
    wrapColumns: wrapColumnsOf(text, lines, widths),
    /** Paragraphs stand between blank lines. */
    blankSeparated: groups > 1 && singles >= 0.6 * groups,
  };
}

/** True when line `index` runs on into the next only because the page was full. */
export function wrapsIntoNext(text: string, lines: Lines, index: number, wrapColumns: number): boolean {
  const width = columns(text, lines.start[index] as number, lines.to[index] as number);
  const from = lines.from[index + 1] as number;
  const to = lines.to[index + 1] as number;
  // Two columns of tolerance: punctuation that must not start a line, and editors that count differently.
  return width + firstWordColumns(text, from, to) > wrapColumns - 2;
}

/** Columns on a terminal: East Asian characters take two. Counted up to 400, more is never a wrapped line. */
export function columns(text: string, from: number, to: number): number {
  const end = Math.min(to, from + 400);
  let count = end - from;
  for (let i = from; i < end; i++) if (isWide(text.charCodeAt(i))) count++;
  return count;
}

/** East Asian characters, between which a line may break anywhere and is joined without a space. */
export function isWide(code: number): boolean {
  // Hangul separates words, so only its width is East Asian: see `joinsWithoutSpace`.
  return (code >= 0x2e80 && code <= 0xa4cf) || (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xff00 && code <= 0xff60);
}

export function joinsWithoutSpace(code: number): boolean {
  return isWide(code) && !(code >= 0xac00 && code <= 0xd7a3);
}

/** Typewriters and mail wrap at 60 to 80 columns, Japanese and Chinese pages at 30 to 50 wide characters. */
const wrapRange = { min: 30, max: 110 };

/** `widths`: of the lines that are followed by another. */
function wrapColumnsOf(text: string, lines: Lines, widths: number[]): number | undefined {
  const pairs = widths.length;
  // Fewer lines than this are as well a stanza or an address.
  if (pairs < 4) return undefined;
  const width = widths.sort((a, b) => a - b)[Math.floor(pairs * 0.95)] ?? 0;
  if (width < wrapRange.min || width > wrapRange.max) return undefined;
  let wrapped = 0;
  let midSentence = 0;
  for (let i = 0; i + 1 < lines.count; i++) {
    if (isBlank(lines, i) || isBlank(lines, i + 1) || !wrapsIntoNext(text, lines, i, width)) continue;
    wrapped++;
    if (!sentenceEnd.test(text.slice((lines.to[i] as number) - 2, lines.to[i]))) midSentence++;
  }
  // A page is full in the middle of a sentence nine times out of ten; lines that are paragraphs end with one.
  return wrapped >= 0.55 * pairs && midSentence >= 0.5 * wrapped ? width : undefined;
}

/** The last two characters of a line that ends a sentence. */
export const sentenceEnd = /[.!?。！？…»”"」』][)\]’'”"»」』]?$/u;

function firstWordColumns(text: string, from: number, to: number): number {
  if (from < to && joinsWithoutSpace(text.charCodeAt(from))) return 2;
  let end = from;
  while (end < to && text.charCodeAt(end) > 0x20 && !joinsWithoutSpace(text.charCodeAt(end))) end++;
  return 1 + columns(text, from, end);
}
