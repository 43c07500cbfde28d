/**
 * Decides which lines are headings, with the whole book in view. A missed heading costs a chapter in the list; a wrong
 * one only gives a paragraph the wrong kind. No text depends on it, so doubtful cases stay paragraphs.
 */
import { type HeadingShape, headingShape } from '../../language/headings.ts';
import { isWide } from './layout.ts';
import { isBlank, type Lines, lineText } from './lines.ts';

export type LineRole =
  /** Starts a section. */
  | 'part'
  | 'chapter'
  /** A heading inside a section: a numbered scene, or the title line below "Chapter IV". */
  | 'subheading'
  /** A line of a table of contents. */
  | 'contents';

interface Candidate {
  line: number;
  shape: HeadingShape;
}

export function findHeadings(text: string, lines: Lines, isSkipped: (line: number) => boolean): Map<number, LineRole> {
  const candidates: Candidate[] = [];
  for (let i = 0; i < lines.count; i++) {
    // Long lines are prose; the bound keeps the patterns away from them.
    const length = (lines.to[i] as number) - (lines.from[i] as number);
    if (length === 0 || length > 80 || isSkipped(i)) continue;
    if (!mayBeHeading(text, lines, i)) continue;
    const shape = headingShape(lineText(text, lines, i));
    if (shape !== undefined && standsAlone(lines, i, shape)) candidates.push({ line: i, shape });
  }
  const roles = new Map<number, LineRole>();
  const rest = takeContents(lines, candidates, roles);
  const chapters = rest.filter(({ shape }) => shape.level !== 'numeral');
  for (const { line, shape } of chapters) roles.set(line, shape.level === 'part' ? 'part' : 'chapter');
  takeNumerals(rest, chapters, roles);
  addTitleLines(text, lines, roles);
  return roles;
}

/**
 * Rules out most lines by two characters before any pattern is tried. Chinese, Japanese and Korean headings may follow a
 * paragraph directly; others must stand after a blank line.
 */
function mayBeHeading(text: string, lines: Lines, line: number): boolean {
  const last = text.charCodeAt((lines.to[line] as number) - 1);
  if (proseEnds.has(last)) return false;
  if (isBlank(lines, line - 1)) return true;
  return isWide(text.charCodeAt(lines.from[line] as number)) || isWide(last);
}

/** A full stop may end a Western heading; these marks end no heading. */
const proseEnds = new Set([...'。，、；：,;:”’"…'].map((mark) => mark.charCodeAt(0)));

/** A number has to stand alone. */
function standsAlone(lines: Lines, line: number, shape: HeadingShape): boolean {
  return shape.level !== 'numeral' || (isBlank(lines, line - 1) && isBlank(lines, line + 1));
}

/** Three headings or more with nothing but blank lines between them are a table of contents. */
function takeContents(lines: Lines, candidates: Candidate[], roles: Map<number, LineRole>): Candidate[] {
  const rest: Candidate[] = [];
  for (let i = 0; i < candidates.length; ) {
    let end = i + 1;
    while (end < candidates.length && onlyBlankBetween(lines, candidates[end - 1]?.line, candidates[end]?.line)) end++;
    const run = candidates.slice(i, end);
    // The last of the run may be the first chapter itself, when prose and not a gap follows it.
    if (run.length >= 4) {
      const last = run.pop() as Candidate;
      for (const { line } of run) roles.set(line, 'contents');
      rest.push(last);
    } else rest.push(...run);
    i = end;
  }
  return rest;
}

function onlyBlankBetween(lines: Lines, from = 0, to = 0): boolean {
  for (let i = from + 1; i < to; i++) if (!isBlank(lines, i)) return false;
  return true;
}

/**
 * Bare numbers count as headings when they run 1, 2, 3 … (starting again after a part). So a year or a score on a line
 * of its own does not count. Where the book has named chapters, bare numbers are numbered scenes within them.
 */
function takeNumerals(rest: Candidate[], chapters: Candidate[], roles: Map<number, LineRole>): void {
  const numerals = rest.flatMap(({ line, shape }) => (shape.level === 'numeral' ? [{ line, ...shape }] : []));
  const accepted: typeof numerals = [];
  let expected = 1;
  for (const numeral of numerals) {
    if (numeral.value !== expected && !(numeral.value === 1 && accepted.length > 0)) continue;
    accepted.push(numeral);
    expected = numeral.value + 1;
  }
  if (accepted.length < 2 && !(accepted.length === 1 && chapters.length === 0 && accepted[0]?.bare)) return;
  // Numbers with a title are as likely a list: all of them must belong to the sequence.
  const titled = numerals.filter((numeral) => !numeral.bare).length;
  if (titled > accepted.length) return;
  const hasChapters = chapters.some(({ shape }) => shape.level === 'chapter');
  for (const { line } of accepted) roles.set(line, hasChapters ? 'subheading' : 'chapter');
}

/** The title of a chapter often stands on a line of its own below the number. */
function addTitleLines(text: string, lines: Lines, roles: Map<number, LineRole>): void {
  for (const [line, role] of [...roles]) {
    if (role !== 'chapter' && role !== 'part') continue;
    const heading = lineText(text, lines, line);
    if (!numberOnly.test(heading)) continue;
    let next = line + 1;
    while (next < lines.count && next - line <= 3 && isBlank(lines, next)) next++;
    if (isBlank(lines, next) || roles.has(next) || !isBlank(lines, next + 1)) continue;
    const title = lineText(text, lines, next);
    if (title.length <= 70 && !/[,;:，。、；：」”"»!?！？]$/u.test(title) && /^["“«「]?[\p{Lu}\p{Lo}\d]/u.test(title)) {
      // A lone short sentence ends with a full stop too; a title that does is set off by more than one blank line.
      if (!/\.$/.test(title) || (next + 2 < lines.count && isBlank(lines, next + 2))) roles.set(next, 'subheading');
    }
  }
}

const numberOnly =
  /^(?:[\p{L}.]+\s+)?(?:\d{1,4}|[IVXLCDM]{1,9})\.?$|^(?:chapter|part|book|chapitre|глава|часть)\s+\p{L}+\.?$|^第\s*[^\s第]{1,8}\s*[章回卷部話话]$|^제?\s*\d+\s*[장화부]$/iu;
