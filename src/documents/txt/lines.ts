/** Lines of a text as offsets, so that a 20 MB novel costs two small arrays and not a million strings. */
export interface Lines {
  count: number;
  /** Offset of the first character of the line. */
  start: Int32Array;
  /** Offset after the last character of the line, before its newline. */
  end: Int32Array;
  /** The line without white space around it; equal to `end` of the line when it is blank. */
  from: Int32Array;
  to: Int32Array;
}

export function splitLines(text: string): Lines {
  const lines = emptyLines(countNewlines(text) + 1);
  let start = 0;
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : lineFeed;
    if (code !== lineFeed && code !== carriageReturn) continue;
    // Nothing after the last newline is not a line.
    if (i === text.length && start === i) break;
    addLine(lines, text, start, i);
    if (code === carriageReturn && text.charCodeAt(i + 1) === lineFeed) i++;
    start = i + 1;
  }
  return lines;
}

export function isBlank(lines: Lines, index: number): boolean {
  return index < 0 || index >= lines.count || lines.from[index] === lines.to[index];
}

export function lineText(text: string, lines: Lines, index: number): string {
  return text.slice(lines.from[index], lines.to[index]);
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

function emptyLines(capacity: number): Lines {
  const numbers = () => new Int32Array(capacity);
  return { count: 0, start: numbers(), end: numbers(), from: numbers(), to: numbers() };
}

function countNewlines(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === lineFeed || code === carriageReturn) count++;
  }
  return count;
}

function addLine(lines: Lines, text: string, start: number, end: number): void {
  let from = start;
  let to = end;
  while (from < end && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  const at = lines.count++;
  lines.start[at] = start;
  lines.end[at] = end;
  lines.from[at] = from === to ? end : from;
  lines.to[at] = from === to ? end : to;
}

/** White space of every kind that indents or ends lines, with the ideographic space, form feed and DOS end of file. */
export function isSpace(code: number): boolean {
  if (code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0x3000 || code === 0xa0) return true;
  return code === 0x1a || code === 0x85 || code === 0xfeff || (code >= 0x2000 && code <= 0x200a) || code === 0x2028;
}
