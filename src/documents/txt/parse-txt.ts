/**
 * A plain text as blocks over ranges of the decoded string. The writer copies everything between the ranges as it is, so
 * blank lines, indentation, scene breaks and the newline style survive by construction.
 *
 * Lines wrapped at a column are one block and are written as one line. Where the page of the source was full says nothing
 * about the translation, and every reader wraps by itself. Verse keeps its lines.
 */

import type { BlockKind, Document, ReadOptions, SkipReason } from '../document.ts';
import { declaredHints } from '../encoding/declared-hints.ts';
import { decodeText } from '../encoding/decode-text.ts';
import { isSeparatorLine } from '../scene-breaks.ts';
import { SkipTally } from '../skip-tally.ts';
import { sourceFault, unaccountedText } from '../source-faults.ts';
import { aozoraFrame, aozoraHeadingRole, leadingNotesLength, usesAozoraMarkup } from './aozora.ts';
import { type BuiltText, buildBlockText, type Join } from './block-text.ts';
import { findHeadings, type LineRole } from './chapters.ts';
import { countTextCharacters, countUncounted, findUncounted, limitText, type Uncounted } from './counting.ts';
import { readFrontMatter } from './front-matter.ts';
import { groupLines } from './group-lines.ts';
import { detectLayout } from './layout.ts';
import { isBlank, isSpace, type Lines, lineText, splitLines } from './lines.ts';

/** A block as it stands in the text. */
interface TxtBlock extends BuiltText {
  /** Blocks count up from 1 in reading order. */
  number: number;
  /** The heading that a line of the table of contents reads like. The line is no block and takes the translation of the heading. */
  repeats?: TxtBlock | undefined;
  kind: BlockKind;
  /** Undefined for everything that is no heading. */
  role: LineRole | undefined;
  /** Counted characters since the text of the block before. */
  before: number;
  place: TxtPlace;
}

/** Where the text of a block comes from. */
export interface TxtPlace {
  firstLine: number;
  lineCount: number;
  /** Offset of its first character, behind white space and layout notes. */
  start: number;
  join: Join;
}

export type ParsedTxt = ReturnType<typeof parseTxt>;

/** @throws BAD_REQUEST with reason NOT_TEXT or UNREADABLE_ENCODING */
export function parseTxt(bytes: Uint8Array, options: ReadOptions) {
  const decoded = decodeText(bytes, declaredHints(bytes));
  if (/^[\s\u001a\u0085]*$/.test(decoded.text)) throw sourceFault('EMPTY_SOURCE');
  const textCharacters = countTextCharacters(decoded.text);
  // Conventions and headings are those of the whole text, so that a preview has the blocks of the full run.
  const parser = new TxtParser(decoded.text, options.charLimit);
  const text = decoded.text.slice(0, parser.limit);
  const withinLimit = text.length === decoded.text.length ? textCharacters : countTextCharacters(text);
  const totalCharacters = textCharacters - countUncounted(decoded.text, parser.uncounted);
  const characters = withinLimit - countUncounted(decoded.text, parser.uncounted, parser.limit);
  parser.run();
  parser.skip('beyond-limit', textCharacters - withinLimit);
  const skipped = parser.skipped.list();
  // Not the parser: a reader keeps `countedBefore`, and with it the blocks would stay beside those of the document.
  const { uncounted } = parser;
  const facts: Omit<Document, 'sections'> = {
    format: 'txt',
    encoding: decoded.encoding,
    title: parser.front.title,
    author: parser.front.author,
    declaredLanguage: parser.front.language,
    writingMode: 'horizontal',
    hasRuby: skipped.some(({ reason }) => reason === 'ruby-annotation'),
    imageCount: 0,
    characters,
    totalCharacters,
    textCharacters,
    skipped,
  };
  return {
    facts,
    warnings: decoded.warnings,
    /** In reading order. */
    blocks: parser.blocks,
    /** The decoded text within the limit, and its lines. */
    text,
    lines: parser.within,
    newline: newlineOf(text),
    blankSeparated: parser.blankSeparated,
    /** What the text before an offset costs. */
    countedBefore: (offset: number) => countTextCharacters(text, 0, offset) - countUncounted(text, uncounted, offset),
  };
}

function newlineOf(text: string): string {
  const first = text.search(/[\r\n]/);
  if (first < 0 || text[first] === '\n') return '\n';
  return text[first + 1] === '\n' ? '\r\n' : '\r';
}

class TxtParser {
  readonly skipped = new SkipTally();
  readonly blocks: TxtBlock[] = [];
  readonly front: ReturnType<typeof readFrontMatter>;
  readonly blankSeparated: boolean;
  /** Counted characters outside of blocks since the last one was begun. */
  private outside = 0;
  private readonly text: string;
  private readonly lines: Lines;
  /** The same lines without what lies beyond the limit. */
  readonly within: Lines;
  readonly uncounted: Uncounted;
  /** Offset at which the limit ends the text. */
  readonly limit: number;
  private readonly layout: ReturnType<typeof detectLayout>;
  private readonly aozora: boolean;
  /** Lines that a distributor has put around the book. */
  private readonly frame: Set<number>;
  private readonly roles = new Map<number, LineRole>();
  /** Everything before this offset is accounted for. */
  private done = 0;

  constructor(text: string, charLimit: number | undefined) {
    this.text = text;
    this.lines = splitLines(text);
    this.layout = detectLayout(text, this.lines);
    this.blankSeparated = this.layout.blankSeparated || this.layout.wrapColumns !== undefined;
    this.aozora = usesAozoraMarkup(text);
    this.front = readFrontMatter(text, this.lines);
    this.frame = this.front.frame;
    if (this.aozora) this.readAozoraFrame();
    this.uncounted = findUncounted(text, this.lines, this.frame, this.aozora);
    this.limit = charLimit === undefined ? text.length : limitText(text, charLimit, this.uncounted).length;
    this.within = this.limit < text.length ? splitLines(text.slice(0, this.limit)) : this.lines;
  }

  run(): void {
    for (const [line, role] of findHeadings(this.text, this.lines, (line) => this.frame.has(line)))
      this.roles.set(line, role);
    if (this.aozora) this.readAozoraHeadings();
    this.readLines();
    this.skipSpace(this.limit);
    this.numberBlocks();
  }

  skip(reason: SkipReason, characters: number): void {
    this.skipped.add(reason, characters);
    if (!uncountedReasons.has(reason)) this.outside += characters;
  }

  private readAozoraFrame(): void {
    const { legend, colophon } = aozoraFrame(this.text, this.lines);
    for (const line of [...legend, ...colophon]) this.frame.add(line);
    // Title and author are the first two lines of an Aozora file, and only the legend says that it is one.
    if (legend.size > 0 && !isBlank(this.lines, 0) && !isBlank(this.lines, 1)) {
      this.front.title ??= lineText(this.text, this.lines, 0);
      this.roles.set(0, 'subheading');
      this.front.author ??= lineText(this.text, this.lines, 1);
    }
  }

  private readAozoraHeadings(): void {
    for (let i = 0; i < this.lines.count; i++) {
      // The note that marks a heading is at the end of a line.
      if (isBlank(this.lines, i) || this.text[(this.lines.to[i] as number) - 1] !== '］') continue;
      const role = aozoraHeadingRole(lineText(this.text, this.lines, i));
      if (role !== undefined) this.roles.set(i, role);
    }
  }

  private readLines(): void {
    for (let i = 0, end = 1; i < this.within.count; i = end, end++) {
      const role = this.roles.get(i);
      if (this.frame.has(i)) this.skipFrame(i);
      else if (isBlank(this.lines, i)) continue;
      else if (this.isSeparator(i)) this.skipSeparator(i);
      else if (role !== undefined) this.addHeading(i, role);
      else {
        while (end < this.lines.count && this.isPlain(end)) end++;
        for (const group of groupLines(this.text, this.lines, i, end, this.layout))
          this.addBlock(group.from, group.to, group.kind, group.join);
      }
    }
  }

  private isPlain(line: number): boolean {
    return !isBlank(this.lines, line) && !this.frame.has(line) && !this.roles.has(line) && !this.isSeparator(line);
  }

  private isSeparator(line: number): boolean {
    const from = this.lines.from[line] as number;
    const to = this.lines.to[line] as number;
    const first = this.text.charCodeAt(from);
    // A row of middle dots is silence in Japanese.
    if (first >= 0x3041 && first <= 0xd7a3) return false;
    return to - from <= 120 && isSeparatorLine(this.text.slice(from, to));
  }

  /** With its line end and the blank lines around it: nothing of the frame is counted. */
  private skipFrame(line: number): void {
    this.skipSpace(this.lines.start[line] as number);
    const end = line + 1 < this.lines.count ? (this.lines.start[line + 1] as number) : this.limit;
    this.skipRange(end, 'boilerplate');
  }

  private skipSeparator(line: number): void {
    if (isBlank(this.within, line)) return;
    this.skipSpace(this.within.from[line] as number);
    this.skipRange(this.within.to[line] as number, 'separator');
  }

  /** White space up to `offset`; anything else there would be text that no rule has seen. */
  private skipSpace(offset: number): void {
    if (offset <= this.done) return;
    this.skip('whitespace', countTextCharacters(this.text, this.done, offset));
    for (let i = this.done; i < offset; i++) {
      if (isSpace(this.text.charCodeAt(i))) continue;
      throw unaccountedText(`character ${i + 1}`, this.text.length, i);
    }
    this.done = offset;
  }

  private skipRange(offset: number, reason: SkipReason): void {
    this.skip(reason, countTextCharacters(this.text, this.done, offset));
    this.done = offset;
  }

  /** Contents lines that read like a heading take its translation, so the two cannot differ. */
  private numberBlocks(): void {
    const lineOf = ({ text }: TxtBlock) => text.replace(/\s+/g, ' ').trim();
    const headings = new Map<string, TxtBlock>();
    for (const block of this.blocks)
      if (block.kind === 'heading') headings.set(lineOf(block), headings.get(lineOf(block)) ?? block);
    let count = 0;
    let outside = 0;
    for (const block of this.blocks) {
      block.before += outside;
      outside = 0;
      const mayRepeat = block.role === 'contents' && block.rawTags.length === 0;
      block.repeats = mayRepeat ? headings.get(lineOf(block)) : undefined;
      if (block.repeats === undefined) block.number = ++count;
      else {
        this.skip('repeats-heading', block.characters);
        outside = block.before + block.characters;
      }
    }
  }

  private addHeading(line: number, role: LineRole): void {
    this.addBlock(line, line + 1, role === 'contents' ? 'label' : 'heading', 'line', role);
  }

  private addBlock(from: number, end: number, kind: BlockKind, join: Join, role?: LineRole): void {
    const place = this.placeOf(from, end, join);
    if (place === undefined) return;
    this.skipSpace(this.within.from[from] as number);
    this.skipRange(place.start, 'markup');
    if (place.lineCount === 0) return;
    const before = this.outside;
    this.outside = 0;
    const { start, lineCount } = place;
    const to = from + lineCount;
    const isCut = (this.within.to[to - 1] as number) < (this.lines.to[to - 1] as number);
    const options = { start, join, aozora: this.aozora, isCut };
    const built = buildBlockText(this.text, this.within, from, to, options, (reason, count) =>
      this.skip(reason, count),
    );
    this.done = this.within.to[to - 1] as number;
    if (built.characters > 0) this.blocks.push({ ...built, number: 0, kind, role, before, place });
    else this.outside += before;
  }

  /** Undefined where nothing of these lines is left within the limit; no lines where a line is only a layout note. */
  private placeOf(from: number, end: number, join: Join): TxtPlace | undefined {
    const { within: lines, text } = this;
    let to = Math.min(end, lines.count);
    while (to > from && isBlank(lines, to - 1)) to--;
    if (to <= from) return undefined;
    let start = lines.from[from] as number;
    if (this.aozora && text.startsWith('［＃', start)) start += leadingNotesLength(text.slice(start, lines.to[from]));
    const isOnlyNote = start >= (lines.to[from] as number) && to === from + 1;
    return { firstLine: from, lineCount: isOnlyNote ? 0 : to - from, start, join };
  }
}

/** What stands in no block for these costs nothing. */
const uncountedReasons: ReadonlySet<SkipReason> = new Set(['boilerplate', 'ruby-annotation', 'beyond-limit']);
