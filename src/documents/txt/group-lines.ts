/** Cuts a run of lines without blank lines between them into paragraphs, stanzas and list lines. */
import type { BlockKind } from '../document.ts';
import type { Join } from './block-text.ts';
import { columns, type Layout, sentenceEnd, wrapsIntoNext } from './layout.ts';
import type { Lines } from './lines.ts';

export interface LineGroup {
  from: number;
  /** Exclusive. */
  to: number;
  kind: BlockKind;
  join: Join;
}

export function groupLines(text: string, lines: Lines, from: number, to: number, layout: Layout): LineGroup[] {
  if (to - from === 1) return [{ from, to, kind: 'paragraph', join: 'line' }];
  if (layout.wrapColumns !== undefined) return wrappedGroups(text, lines, from, to, layout.wrapColumns);
  if (layout.blankSeparated && isVerse(text, lines, from, to)) return [{ from, to, kind: 'verse', join: 'verse' }];
  return eachLine(from, to, 'paragraph');
}

function eachLine(from: number, to: number, kind: BlockKind): LineGroup[] {
  return Array.from({ length: to - from }, (_, i) => ({
    from: from + i,
    to: from + i + 1,
    kind,
    join: 'line' as const,
  }));
}

function wrappedGroups(text: string, lines: Lines, from: number, to: number, wrapColumns: number): LineGroup[] {
  let wrapped = 0;
  let numbered = 0;
  let width = 0;
  for (let i = from; i < to; i++) {
    if (i + 1 < to && wrapsIntoNext(text, lines, i, wrapColumns)) wrapped++;
    if (listNumber.test(text.slice(lines.from[i], (lines.from[i] as number) + 10))) numbered++;
    width += columns(text, lines.from[i] as number, lines.to[i] as number);
  }
  const pairs = to - from - 1;
  if (wrapped <= pairs / 3 && width / (to - from) < wrapColumns * 0.8) {
    if (numbered >= 0.6 * (to - from)) return eachLine(from, to, 'list-item');
    return [{ from, to, kind: 'verse', join: 'verse' }];
  }
  return paragraphsOf(text, lines, from, to, wrapColumns);
}

const listNumber = /^(?:\d{1,4}|[IVXLCDM]{1,7})[.)\s]/;

/** A paragraph ends where the page was not full and the sentence was over, or the next line is indented. */
function paragraphsOf(text: string, lines: Lines, from: number, to: number, wrapColumns: number): LineGroup[] {
  const groups: LineGroup[] = [];
  let start = from;
  for (let i = from; i < to; i++) {
    if (i + 1 < to && !endsParagraph(text, lines, i, wrapColumns)) continue;
    groups.push({ from: start, to: i + 1, kind: 'paragraph', join: i === start ? 'line' : 'flow' });
    start = i + 1;
  }
  return groups;
}

function endsParagraph(text: string, lines: Lines, line: number, wrapColumns: number): boolean {
  const indent = (lines.from[line] as number) - (lines.start[line] as number);
  const nextIndent = (lines.from[line + 1] as number) - (lines.start[line + 1] as number);
  const full = wrapsIntoNext(text, lines, line, wrapColumns);
  if (nextIndent > 0 && nextIndent > indent) return true;
  if (full) return false;
  return sentenceEnd.test(text.slice((lines.to[line] as number) - 2, lines.to[line]));
}

/** Between blank lines, several short lines that are no dialogue. */
function isVerse(text: string, lines: Lines, from: number, to: number): boolean {
  if (to - from > 60) return false;
  for (let i = from; i < to; i++) {
    const start = lines.from[i] as number;
    if (columns(text, start, lines.to[i] as number) > 60) return false;
    if (/["“”«»„「『‘'\-—–―]/.test(text.charAt(start))) return false;
  }
  return true;
}
