/**
 * What pandoc adds to Markdown and the parser does not know: fenced divs, attributes, title blocks, line blocks, grid tables,
 * definition lists and formulas. They are found first and hidden from the parser behind blanks, or behind a mark that it does
 * know, so that every offset stays true.
 */
export interface PandocMarkup {
  /** The text for the parser: as long as the source, with blanks where pandoc's markup stands. */
  masked: string;
  /** What was hidden, in order. */
  hidden: Range[];
  /** The title of a title block. */
  title: Range | undefined;
  lineBlocks: Range[][];
  gridTables: GridTable[];
}

export interface Range {
  start: number;
  end: number;
}

export interface GridTable extends Range {
  /** Offsets of the columns' borders within a line. */
  borders: number[];
  indent: string;
  /** The lines between rows, as they are: dashes, or equals signs below a header. */
  rows: string[][];
  rules: string[];
}

export function findPandocMarkup(text: string): PandocMarkup {
  const lines = linesOf(text);
  const marks = formulaMarks(text);
  const found: PandocMarkup = { masked: text, hidden: [], title: undefined, lineBlocks: [], gridTables: [] };
  const { hidden } = found;
  let fence: string | undefined;
  let i = titleBlockEnd(text, lines, found);
  for (; i < lines.length; i++) {
    const line = lines[i] as Range;
    const content = text.slice(line.start, line.end);
    // Nothing inside a block of code is markup.
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(content)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && content.trim() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    if (/^\s{0,3}:{3,}(?:\s|\{|$)/.test(content)) hidden.push(line);
    else if (/^ {0,3}[:~][ \t]+\S/.test(content) && followsTerm(text, lines, i)) {
      // To the parser a definition is an item of a list.
      marks.set(line.start + content.search(/\S/), '-');
    } else if (/^\s{0,3}#{1,6}\s/.test(content)) hideAttributes(content, line.start, hidden);
    else if (/^\| \S/.test(content)) i = takeLineBlock(text, lines, i, found);
    else if (/^\s{0,3}\+(?:[-=:]+\+)+\s*$/.test(content)) i = takeGridTable(text, lines, i, found);
  }
  hidden.sort((a, b) => a.start - b.start);
  found.masked = withMarks(mask(text, hidden), marks);
  return found;
}

/** A definition stands below its term, below another definition, or below a blank line after either. */
function followsTerm(text: string, lines: readonly Range[], at: number): boolean {
  const above = contentOf(text, lines[at - 1]);
  const term = above.trim() === '' ? contentOf(text, lines[at - 2]) : above;
  return term.trim() !== '' && !/^\s{0,3}(?:#{1,6}\s|>|[-*+]\s|\d+[.)]\s|```|~~~)/.test(term);
}

/**
 * `$M \times N$` and `$$…$$` are shown to the parser as code. By pandoc's rule there is no blank inside the dollars and no digit
 * behind them; what reads like prose between two prices is none.
 */
function formulaMarks(text: string): Map<number, string> {
  const marks = new Map<number, string>();
  if (!text.includes('$')) return marks;
  const pattern =
    /(`+)[^`]{1,2000}\1(?!`)|(?<![\\$])(\${1,2})(?![\s$])((?:\\.|[^$\\]){1,2000}?)(?<!\s)\2(?![\d$])|(?<![\\$])\$\$([^$]{1,2000})\$\$/g;
  for (const match of text.matchAll(pattern)) {
    const inner = match[3] ?? match[4];
    if (inner === undefined || /\n[ \t]*\r?\n/.test(inner) || isProse(inner)) continue;
    const width = match[2]?.length ?? 2;
    const end = match.index + match[0].length;
    for (let i = 0; i < width; i++) marks.set(match.index + i, '`').set(end - 1 - i, '`');
    for (const { index } of inner.matchAll(/`/g)) marks.set(match.index + width + index, ' ');
  }
  return marks;
}

/** Two words in a row that are no commands. */
function isProse(formula: string): boolean {
  return /(?<![\\\p{L}])\p{L}{3,}\s+\p{L}{3,}/u.test(formula.replace(/\\(?:text|mathrm|operatorname)\{[^{}]*\}/g, ''));
}

function withMarks(text: string, marks: ReadonlyMap<number, string>): string {
  if (marks.size === 0) return text;
  const parts: string[] = [];
  let done = 0;
  for (const [at, mark] of [...marks].sort((a, b) => a[0] - b[0])) {
    parts.push(text.slice(done, at), mark);
    done = at + 1;
  }
  parts.push(text.slice(done));
  return parts.join('');
}

function linesOf(text: string): Range[] {
  const lines: Range[] = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push({ start, end: match.index });
    start = match.index + match[0].length;
  }
  if (start < text.length) lines.push({ start, end: text.length });
  return lines;
}

function mask(text: string, hidden: readonly Range[]): string {
  let masked = '';
  let done = 0;
  for (const { start, end } of hidden) {
    masked += text.slice(done, start) + text.slice(start, end).replace(/[^\r\n]/g, ' ');
    done = end;
  }
  return masked + text.slice(done);
}

/** `% Title`, `% Authors`, `% Date` on the first lines. */
function titleBlockEnd(text: string, lines: readonly Range[], found: PandocMarkup): number {
  let i = 0;
  for (; i < 3; i++) {
    const line = lines[i];
    if (line === undefined || !/^%(?:\s|$)/.test(text.slice(line.start, line.end))) break;
    const lead = /^%\s*/.exec(text.slice(line.start, line.end))?.[0].length ?? 1;
    if (i === 0 && line.start + lead < line.end) found.title = { start: line.start + lead, end: line.end };
    found.hidden.push(line);
  }
  return i;
}

/** `# Heading {#id .class}` */
function hideAttributes(content: string, offset: number, hidden: Range[]): void {
  const match = /\s*\{[#.][^{}]*\}\s*#*\s*$|\s*\{-\}\s*$/.exec(content);
  if (match !== null) hidden.push({ start: offset + match.index, end: offset + match.index + match[0].length });
}

/** Verse: every line begins with a bar. A line that ends with one belongs to a table. */
function takeLineBlock(text: string, lines: readonly Range[], first: number, found: PandocMarkup): number {
  let end = first;
  while (end < lines.length && /^\|(?: |$)/.test(contentOf(text, lines[end]))) end++;
  const block = lines.slice(first, end);
  const isTable =
    block.some((line) => /\|\s*$/.test(contentOf(text, line).slice(1))) ||
    /^\s*\|?\s*:?-{3}/.test(contentOf(text, lines[first + 1]));
  if (isTable) return first;
  found.lineBlocks.push(block.map(({ start, end: to }) => ({ start: Math.min(start + 2, to), end: to })));
  found.hidden.push({ start: (block[0] as Range).start, end: (block.at(-1) as Range).end });
  return end - 1;
}

/** Only tables without spans: every line has a border where the first line has one. Others stay as they are. */
function takeGridTable(text: string, lines: readonly Range[], first: number, found: PandocMarkup): number {
  const top = contentOf(text, lines[first]);
  let end = first;
  while (end < lines.length && /^\s*[+|].*[+|]\s*$/.test(contentOf(text, lines[end]))) end++;
  const start = (lines[first] as Range).start;
  const stop = (lines[end - 1] as Range).end;
  found.hidden.push({ start, end: stop });
  const borders = [...top.matchAll(/\+/g)].map((match) => match.index);
  const rows: string[][][] = [];
  const rules: string[] = [];
  for (const line of lines.slice(first, end)) {
    const content = contentOf(text, line).trimEnd();
    const isRule = /^\s*\+(?:[-=:]+\+)+$/.test(content);
    if (
      content.length !== top.trimEnd().length ||
      borders.some((at) => !(isRule ? '+' : '|').includes(content[at] ?? ''))
    )
      return end - 1;
    if (isRule) {
      rules.push(content.includes('=') ? '=' : '-');
      rows.push([]);
    } else rows.at(-1)?.push(borders.slice(1).map((at, i) => content.slice((borders[i] ?? 0) + 1, at).trim()));
  }
  if (rules.length < 2 || rows.at(-1)?.length !== 0) return end - 1;
  const cells = rows.slice(0, -1).map((row) =>
    borders.slice(1).map((_, column) =>
      row
        .map((line) => line[column])
        .filter(Boolean)
        .join(' '),
    ),
  );
  const indent = /^\s*/.exec(top)?.[0] ?? '';
  found.gridTables.push({ start, end: stop, borders, indent, rows: cells, rules });
  return end - 1;
}

function contentOf(text: string, line: Range | undefined): string {
  return line === undefined ? '' : text.slice(line.start, line.end);
}
