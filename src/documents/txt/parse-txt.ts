/**
 * A plain text as blocks over ranges of the decoded string. The writer copies everything between the ranges as it is, so
 * blank lines, indentation, scene breaks and the newline style survive by construction.
 *
 * Lines wrapped at a column are one block and are written as one line: where the page of the source was full says nothing
 * about the translation, and every reader wraps by itself. Verse keeps its lines.
 */

import { AppError } from '../../errors.ts';
import {
  assertCoverage,
  type Block,
  type BlockKind,
  type Document,
  type DocumentWarning,
  type ReadOptions,
  type Section,
  type SkipReason,
} from '../document.ts';
import { isSeparatorLine } from '../scene-breaks.ts';
import { aozoraFrame, aozoraHeadingRank, leadingNotesLength, usesAozoraMarkup } from './aozora.ts';
import { buildBlockText, type Join } from './block-text.ts';
import { findHeadings, type LineRole } from './chapters.ts';
import { decodeText } from './decode-text.ts';
import { readFrontMatter } from './front-matter.ts';
import { groupLines } from './group-lines.ts';
import { detectLayout } from './layout.ts';
import { countTextCharacters, limitText } from './limit-text.ts';
import { isBlank, isSpace, type Lines, limitLines, lineText, splitLines } from './lines.ts';

export interface TxtSpan {
  from: number;
  to: number;
  /** Offset after the last line of the block, where its translation is put in the bilingual variant. */
  lineEnd: number;
  /** A line of a table of contents refers to the block of the heading it repeats. */
  block: Block;
  /** Its lines, for the white space before each of them. */
  firstLine: number;
  lineCount: number;
  /** What tag n stands for, at index n - 1. */
  rawTags: readonly string[];
}

export interface ParsedTxt {
  document: Document;
  warnings: DocumentWarning[];
  /** The decoded text within the limit. */
  text: string;
  spans: TxtSpan[];
  lines: Lines;
  newline: string;
  blankSeparated: boolean;
}

/** @throws BAD_REQUEST with reason NOT_TEXT or UNREADABLE_ENCODING */
export function parseTxt(bytes: Uint8Array, options: ReadOptions = {}, keepSpans = true): ParsedTxt {
  const decoded = decodeText(bytes);
  const textCharacters = countTextCharacters(decoded.text);
  const text = options.charLimit === undefined ? decoded.text : limitText(decoded.text, options.charLimit);
  // Conventions and headings are those of the whole text, so that a preview has the blocks of the full run.
  const characters = text.length === decoded.text.length ? textCharacters : countTextCharacters(text);
  const parser = new TxtParser(decoded.text, text.length, keepSpans);
  parser.run();
  parser.skip('beyond-limit', textCharacters - characters);
  const document: Document = {
    format: 'txt',
    encoding: decoded.encoding,
    title: parser.title,
    author: parser.author,
    declaredLanguage: parser.front.language,
    writingMode: 'horizontal',
    hasRuby: (parser.skipped.get('ruby-annotation') ?? 0) > 0,
    imageCount: 0,
    sections: parser.sections,
    characters,
    totalCharacters: textCharacters,
    textCharacters,
    skipped: [...parser.skipped].map(([reason, count]) => ({ reason, characters: count })),
  };
  assertCoverage(document);
  return {
    document,
    warnings: decoded.warnings,
    text,
    spans: parser.spans,
    lines: parser.lines,
    newline: newlineOf(text),
    blankSeparated: parser.blankSeparated,
  };
}

function newlineOf(text: string): string {
  const first = text.search(/[\r\n]/);
  if (first < 0 || text[first] === '\n') return '\n';
  return text[first + 1] === '\n' ? '\r\n' : '\r';
}

class TxtParser {
  readonly sections: Section[] = [];
  readonly spans: TxtSpan[] = [];
  readonly skipped = new Map<SkipReason, number>();
  readonly front: ReturnType<typeof readFrontMatter>;
  readonly blankSeparated: boolean;
  title: string | undefined;
  author: string | undefined;
  private readonly text: string;
  readonly lines: Lines;
  /** The same lines without what lies beyond the limit. */
  private readonly within: Lines;
  private readonly limit: number;
  /** A reader has no use for the ranges, which take as much memory as the blocks; lines of contents are looked at again. */
  private readonly keepSpans: boolean;
  private readonly layout: ReturnType<typeof detectLayout>;
  private readonly aozora: boolean;
  private readonly frame = new Map<number, SkipReason>();
  private readonly headingTexts = new Map<string, Block>();
  private readonly roles = new Map<number, LineRole>();
  /** Everything before this offset is accounted for. */
  private done = 0;
  private blockCount = 0;

  constructor(text: string, limit: number, keepSpans: boolean) {
    this.text = text;
    this.keepSpans = keepSpans;
    this.limit = limit;
    this.lines = splitLines(text);
    this.within = limit < text.length ? limitLines(this.lines, text, limit) : this.lines;
    this.layout = detectLayout(text, this.lines);
    this.blankSeparated = this.layout.blankSeparated || this.layout.wrapColumns !== undefined;
    this.aozora = usesAozoraMarkup(text);
    this.front = readFrontMatter(text, this.lines);
    this.title = this.front.title;
    this.author = this.front.author;
  }

  run(): void {
    for (const line of this.front.frame) this.frame.set(line, 'metadata');
    if (this.aozora) this.readAozoraFrame();
    for (const [line, role] of findHeadings(this.text, this.lines, (line) => this.frame.has(line)))
      this.roles.set(line, role);
    if (this.aozora) this.readAozoraHeadings();
    this.readLines();
    this.skipSpace(this.limit);
    this.resolveContents();
  }

  skip(reason: SkipReason, characters: number): void {
    if (characters > 0) this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + characters);
  }

  private readonly addSkip = (reason: SkipReason, characters: number) => this.skip(reason, characters);

  private readAozoraFrame(): void {
    const { legend, colophon } = aozoraFrame(this.text, this.lines);
    for (const line of legend) this.frame.set(line, 'markup');
    for (const line of colophon) this.frame.set(line, 'metadata');
    // Title and author are the first two lines of an Aozora file, and only the legend says that it is one.
    if (legend.size > 0 && !isBlank(this.lines, 0) && !isBlank(this.lines, 1)) {
      this.title ??= lineText(this.text, this.lines, 0);
      this.roles.set(0, 'subheading');
      this.author ??= lineText(this.text, this.lines, 1);
    }
  }

  private readAozoraHeadings(): void {
    for (let i = 0; i < this.lines.count; i++) {
      // The note that marks a heading is at the end of a line.
      if (isBlank(this.lines, i) || this.text[(this.lines.to[i] as number) - 1] !== '］') continue;
      const rank = aozoraHeadingRank(lineText(this.text, this.lines, i));
      if (rank !== undefined)
        this.roles.set(i, rank === 'large' ? 'part' : rank === 'middle' ? 'chapter' : 'subheading');
    }
  }

  private readLines(): void {
    for (let i = 0; i < this.within.count; ) {
      if (isBlank(this.lines, i)) {
        i++;
        continue;
      }
      const reason = this.frame.get(i) ?? (this.isSeparator(i) ? 'separator' : undefined);
      if (reason !== undefined) {
        this.skipLine(i, reason);
        i++;
        continue;
      }
      const role = this.roles.get(i);
      if (role !== undefined) {
        this.addHeading(i, role);
        i++;
        continue;
      }
      let end = i + 1;
      while (end < this.lines.count && this.isPlain(end)) end++;
      if (end === i + 1) this.addBlock(i, end, 'paragraph', 'line');
      else
        for (const group of groupLines(this.text, this.lines, i, end, this.layout)) {
          this.addBlock(group.from, group.to, group.kind, group.join);
        }
      i = end;
    }
  }

  private isPlain(line: number): boolean {
    return !isBlank(this.lines, line) && !this.frame.has(line) && !this.roles.has(line) && !this.isSeparator(line);
  }

  private isSeparator(line: number): boolean {
    const from = this.lines.from[line] as number;
    const to = this.lines.to[line] as number;
    // No line that begins with a letter or ideograph is one: most lines of a book.
    const first = this.text.charCodeAt(from);
    if ((first | 0x20) - 0x61 < 26 && (first | 0x20) >= 0x61)
      return (
        /^[xo]\s/i.test(this.text.slice(from, from + 2)) &&
        isSeparatorLine(this.text.slice(from, Math.min(to, from + 120)))
      );
    if (first >= 0x3041 && first <= 0xd7a3) return false;
    return to - from <= 120 && isSeparatorLine(this.text.slice(from, to));
  }

  private skipLine(line: number, reason: SkipReason): void {
    if (isBlank(this.within, line)) return;
    this.skipSpace(this.within.from[line] as number);
    this.skipRange(this.within.to[line] as number, reason);
  }

  /** White space up to `offset`; anything else there would be text that no rule has seen. */
  private skipSpace(offset: number): void {
    if (offset <= this.done) return;
    this.skip('whitespace', countTextCharacters(this.text, this.done, offset));
    for (let i = this.done; i < offset; i++) {
      if (isSpace(this.text.charCodeAt(i))) continue;
      throw new AppError('INTERNAL', 'Text of a plain text source was about to be skipped as white space.');
    }
    this.done = offset;
  }

  private skipRange(offset: number, reason: SkipReason): void {
    this.skip(reason, countTextCharacters(this.text, this.done, offset));
    this.done = offset;
  }

  private addHeading(line: number, role: LineRole): void {
    if (role === 'part' || role === 'chapter') this.startSection(role);
    const span = this.addBlock(line, line + 1, role === 'contents' ? 'label' : 'heading', 'line');
    if (span === undefined) return;
    const section = this.sections.at(-1) as Section;
    const title = span.block.text;
    if (role === 'contents') return;
    if (!this.headingTexts.has(headingKey(title))) this.headingTexts.set(headingKey(title), span.block);
    if (role === 'subheading') {
      // "Chapter IV" with its title on the next line: both name the section.
      const onlyHeading =
        section.blocks.length === 2 && section.title !== undefined && section.blocks[0]?.kind === 'heading';
      if (onlyHeading) section.title = `${section.title} ${title}`;
    } else section.title = title;
  }

  /** A part heading directly above a chapter heading shares its section. */
  private startSection(role: LineRole): void {
    const current = this.sections.at(-1);
    const onlyHeadings = current?.title !== undefined && current.blocks.every((block) => block.kind === 'heading');
    if (role === 'chapter' && onlyHeadings && current.blocks.length === 1) return;
    this.sections.push({ title: undefined, blocks: [] });
  }

  private addBlock(from: number, end: number, kind: BlockKind, join: Join): TxtSpan | undefined {
    const { within: lines, text } = this;
    let to = Math.min(end, lines.count);
    while (to > from && isBlank(lines, to - 1)) to--;
    if (to <= from) return undefined;
    let start = lines.from[from] as number;
    this.skipSpace(start);
    if (this.aozora && text.startsWith('［＃', start)) {
      start += leadingNotesLength(text.slice(start, lines.to[from]));
      this.skipRange(start, 'markup');
      if (start >= (lines.to[from] as number) && to === from + 1) return undefined;
    }
    const stop = lines.to[to - 1] as number;
    const built = buildBlockText(
      text,
      lines,
      from,
      to,
      {
        start,
        join,
        aozora: this.aozora,
        isCut: stop < (this.lines.to[to - 1] as number),
      },
      this.addSkip,
    );
    this.done = stop;
    if (built.characters === 0) return undefined;
    const block: Block = { id: `b${++this.blockCount}`, kind, text: built.text, characters: built.characters };
    const span = {
      from: start,
      to: stop,
      lineEnd: lines.end[to - 1] as number,
      block,
      firstLine: from,
      lineCount: to - from,
      rawTags: built.rawTags,
    };
    if (this.keepSpans || kind === 'label') this.spans.push(span);
    if (this.sections.length === 0) this.sections.push({ title: undefined, blocks: [] });
    this.sections.at(-1)?.blocks.push(block);
    return span;
  }

  /** Contents lines that read like a heading take its translation, so the two cannot differ. Ids are given again. */
  private resolveContents(): void {
    const repeated = new Set<Block>();
    for (const span of this.spans) {
      const heading = span.block.kind === 'label' ? this.headingTexts.get(headingKey(span.block.text)) : undefined;
      if (heading === undefined || span.rawTags.length > 0) continue;
      this.skip('repeats-heading', span.block.characters);
      repeated.add(span.block);
      span.block = heading;
    }
    if (repeated.size === 0) return;
    let count = 0;
    for (const section of this.sections) {
      section.blocks = section.blocks.filter((block) => !repeated.has(block));
      for (const block of section.blocks) block.id = `b${++count}`;
    }
  }
}

function headingKey(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
