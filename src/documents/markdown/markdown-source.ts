/** Parses Markdown (GFM, front matter, footnotes) and finds its blocks as ranges of the source. */
import type { Heading, Nodes, Paragraph, Parent, Root, Table, TableCell } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import { assembleDocument, HeadingCount } from '../assemble-document.ts';
import {
  type BlockKind,
  countCharacters,
  type ReadOptions,
  type ReadResult,
  type RubyReading,
  type SkipReason,
} from '../document.ts';
import { declaredHints } from '../encoding/declared-hints.ts';
import { decodeText } from '../encoding/decode-text.ts';
import { flowSections } from '../flow/flow-part.ts';
import { type FlowText, type Item, readFlowText } from '../flow/inline-items.ts';
import { assertFewAttributes } from '../html/parse-html.ts';
import { withoutLicence } from '../licence-text.ts';
import { firstFrom } from '../markup/edits.ts';
import { SkipTally } from '../skip-tally.ts';
import { countTextCharacters } from '../txt/counting.ts';
import { htmlItems, inlineItems, rangeOf } from './inline-nodes.ts';
import { findPandocMarkup, type GridTable, type PandocMarkup, type Range } from './pandoc-markup.ts';

export interface MarkdownBlock extends FlowText {
  kind: BlockKind;
  level: number;
  /** Source of a hard line break inside the block, with the prefix of the line after it. */
  lineBreak?: string | undefined;
  /** The range of the paragraph itself, with what stands at its edges. */
  node: Range;
  /** Of a cell in the header row: the columns of its table and those up to it. */
  header?: { columns: number; column: number } | undefined;
  /** Of a cell in a grid table: its place there. */
  grid?: { table: GridTable; row: number; column: number };
  /** Of a title in the front matter: how the value is quoted. */
  quote?: Quote;
  ruby?: readonly RubyReading[];
}

export function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

export type Quote = 'double' | 'single' | 'none' | 'title-block';

export type MarkdownSource = ReturnType<typeof openMarkdown>;

/** @throws BAD_REQUEST NOT_TEXT, UNREADABLE_ENCODING */
export function readMarkdown(bytes: Uint8Array, options: ReadOptions): ReadResult {
  const source = openMarkdown(bytes);
  const sections = flowSections(source.blocks);
  const field = (name: string) => frontMatterField(source.reader.frontMatter, name);
  const facts = {
    format: 'markdown',
    encoding: source.encoding,
    title: field('title') ?? (source.blocks[0]?.level === 1 ? sections[0]?.title : undefined),
    author: field('author'),
    declaredLanguage: field('lang') ?? field('language'),
    writingMode: 'horizontal',
    hasRuby: source.blocks.some(({ ruby = [] }) => ruby.length > 0),
    imageCount: source.reader.imageCount,
    textCharacters: source.textCharacters,
  } as const;
  return { document: assembleDocument(facts, sections, source.skipped, options.charLimit), warnings: source.warnings };
}

/** Plain `key: value` lines of YAML or TOML; anything richer is left alone. */
function frontMatterField(frontMatter: string, name: string): string | undefined {
  const line = new RegExp(`^${name}\\s*[:=]\\s*(.+)$`, 'im').exec(frontMatter)?.[1]?.trim();
  return line?.replace(/^(["'])(.*)\1$/, '$2') || undefined;
}

/** @throws like `readMarkdown` */
export function openMarkdown(bytes: Uint8Array) {
  const { text, encoding, warnings } = decodeText(bytes, declaredHints(bytes));
  const pandoc = findPandocMarkup(text);
  // The parser takes long for what would be refused behind it.
  assertFewAttributes(pandoc.masked);
  const headings = new HeadingCount();
  for (const _ of pandoc.masked.matchAll(/^ {0,3}#{1,6}[ \t]/gm)) headings.add();
  const tree = fromMarkdown(pandoc.masked, {
    extensions: [gfm(), frontmatter(['yaml', 'toml'])],
    mdastExtensions: [gfmFromMarkdown(), frontmatterFromMarkdown(['yaml', 'toml'])],
  });
  const reader = new MarkdownReader(text, pandoc.hidden);
  reader.read(tree);
  reader.readPandoc(pandoc);
  const skipped = reader.tally();
  return {
    text,
    encoding,
    warnings,
    blocks: withoutLicence(reader.blocks, skipped),
    reader,
    skipped,
    textCharacters: countTextCharacters(text),
  };
}

class MarkdownReader {
  readonly blocks: MarkdownBlock[] = [];
  /** Link targets, which a limited document still needs. */
  readonly definitions: Range[] = [];
  readonly noteReferences: (Range & { label: string })[] = [];
  /** Where the text of each footnote begins, by label. */
  readonly notes = new Map<string, number>();
  frontMatter = '';
  imageCount = 0;
  private readonly text: string;
  private readonly hidden: readonly Range[];
  private readonly headers = new Map<Nodes, { columns: number; column: number }>();
  /** Ranges of code, front matter and rules: not translated, each for its own reason. */
  private readonly zones: { start: number; end: number; reason: SkipReason }[] = [];

  constructor(text: string, hidden: readonly Range[]) {
    this.text = text;
    this.hidden = hidden;
  }

  read(root: Root): void {
    // Iterative: a hostile file nests block quotes by the thousand.
    const stack: { node: Nodes; kind: BlockKind }[] = [{ node: root, kind: 'paragraph' }];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { node, kind } = next;
      if (this.take(node, kind) || !('children' in node)) continue;
      if (node.type === 'table') this.noteHeader(node);
      const inner = node.type === 'listItem' ? 'list-item' : node.type === 'footnoteDefinition' ? 'note' : kind;
      for (const child of (node as Parent).children.toReversed()) stack.push({ node: child, kind: inner });
    }
  }

  private noteHeader(table: Table): void {
    const cells = table.children[0]?.children ?? [];
    for (const [i, cell] of cells.entries()) this.headers.set(cell, { columns: cells.length, column: i + 1 });
  }

  /** Every character of the source: in a block, in a zone, white space or markup. */
  tally(): SkipTally {
    const skipped = new SkipTally();
    const ranges = [...this.blocks.map((block) => ({ ...block, reason: undefined })), ...this.zones];
    ranges.sort((a, b) => a.start - b.start);
    let done = 0;
    for (const range of ranges) {
      this.tallyGap(done, range.start, skipped);
      const length = countTextCharacters(this.text, range.start, range.end);
      if (range.reason !== undefined) skipped.add(range.reason, length);
      else {
        const { characters, ruby = [] } = range as MarkdownBlock;
        const readings = ruby.reduce((sum, { reading }) => sum + countCharacters(reading), 0);
        skipped.add('ruby-annotation', readings);
        skipped.add('markup', length - characters - readings);
      }
      done = Math.max(done, range.end);
    }
    this.tallyGap(done, this.text.length, skipped);
    return skipped;
  }

  private tallyGap(from: number, to: number, skipped: SkipTally): void {
    const blank = this.text.slice(from, to).replace(/\S+/g, '');
    const blanks = countTextCharacters(blank);
    skipped.add('whitespace', blanks);
    skipped.add('markup', countTextCharacters(this.text, from, to) - blanks);
  }

  /** True when the node is dealt with as a whole. */
  private take(node: Nodes, kind: BlockKind): boolean {
    switch (node.type) {
      case 'heading':
        this.addBlock(node, 'heading', node.depth);
        break;
      case 'paragraph':
      case 'tableCell':
        this.addBlock(node, node.type === 'tableCell' ? 'cell' : kind, 0);
        break;
      case 'html':
        this.addHtml(node, kind);
        break;
      case 'code':
      case 'thematicBreak':
        this.addZone(node, node.type === 'code' ? 'code' : 'separator');
        break;
      case 'definition':
        this.definitions.push(rangeOf(node));
        break;
      case 'footnoteDefinition':
        this.notes.set(node.identifier, rangeOf(node).start);
        return false;
      default:
        if (node.type !== 'yaml' && (node.type as string) !== 'toml') return false;
        this.frontMatter = 'value' in node ? node.value : '';
        this.addFrontMatter(node);
    }
    return true;
  }

  readPandoc({ title, lineBlocks, gridTables }: PandocMarkup): void {
    if (title !== undefined) this.addPlain(title.start, title.end, 'label', { quote: 'title-block' });
    for (const lines of lineBlocks) this.addLineBlock(lines);
    for (const table of gridTables) this.addGridTable(table);
    this.blocks.sort((a, b) => a.start - b.start || (a.grid?.row ?? 0) - (b.grid?.row ?? 0));
  }

  /** The title of the front matter is read by people; the rest of it is for machines. */
  private addFrontMatter(node: Nodes): void {
    const { start, end } = rangeOf(node);
    const source = this.text.slice(start, end);
    const match =
      /^title[ \t]*[:=][ \t]*(?:"((?:[^"\\\r\n]|\\.)*)"|'((?:[^'\r\n]|'')*)'|([^\s"'>|&*!{[][^\r\n#]*?))[ \t]*$/im.exec(
        source,
      );
    const value = match?.[1] ?? match?.[2] ?? match?.[3];
    if (match === null || value === undefined || value.includes('\\') || value.includes("''")) {
      this.addZone(node, 'metadata');
      return;
    }
    const quote: Quote = match[1] !== undefined ? 'double' : match[2] !== undefined ? 'single' : 'none';
    const at = start + match.index + match[0].lastIndexOf(value);
    if (!this.addPlain(at, at + value.length, 'label', { quote })) {
      this.addZone(node, 'metadata');
      return;
    }
    this.zones.push({ start, end: at, reason: 'metadata' }, { start: at + value.length, end, reason: 'metadata' });
  }

  private addPlain(start: number, end: number, kind: BlockKind, extra: Partial<MarkdownBlock>): boolean {
    const found = readFlowText([{ kind: 'text', text: this.text.slice(start, end), start, end }], true);
    if (found === undefined || !/\p{L}/u.test(found.text)) return false;
    this.blocks.push({ ...found, kind, level: 0, node: { start, end }, ...extra });
    return true;
  }

  private addLineBlock(lines: readonly Range[]): void {
    const items = lines.flatMap(({ start, end }, i): Item[] => {
      const line: Item = { kind: 'text', text: this.text.slice(start, end), start, end };
      return i === 0 ? [line] : [{ kind: 'break', start: lines[i - 1]?.end ?? start, end: start }, line];
    });
    const found = readFlowText(items, true);
    if (found === undefined) return;
    const lineBreak = `${newlineOf(this.text)}| `;
    this.blocks.push({ ...found, kind: 'verse', level: 0, lineBreak, node: { start: found.start, end: found.end } });
  }

  /** The cells share the range of their table, which is drawn anew as a whole; the first of them accounts for it. */
  private addGridTable(table: GridTable): void {
    let isFirst = true;
    table.rows.forEach((cells, row) => {
      cells.forEach((text, column) => {
        const [start, end] = isFirst ? [table.start, table.end] : [table.end, table.end];
        const found = readFlowText([{ kind: 'text', text, start, end }], true);
        if (found === undefined || found.literalCharacters > 0) return;
        isFirst = false;
        this.blocks.push({ ...found, kind: 'cell', level: 0, node: { start, end }, grid: { table, row, column } });
      });
    });
    if (isFirst) this.zones.push({ start: table.start, end: table.end, reason: 'code' });
  }

  private addBlock(node: Heading | Paragraph | TableCell, kind: BlockKind, level: number): void {
    const read = inlineItems(node.children, this.text);
    this.imageCount += read.images;
    this.noteReferences.push(...read.noteReferences);
    const found = readFlowText(read.items, true);
    if (found === undefined || found.characters === 0) return;
    const isPicture = read.images > 0 && node.children.every(({ type }) => /^image/.test(type));
    const isVerse = kind === 'paragraph' && read.lineBreak !== undefined && found.text.split('\n').length > 2;
    this.blocks.push({
      ...found,
      kind: isPicture ? 'caption' : isVerse ? 'verse' : kind,
      level,
      lineBreak: read.lineBreak,
      node: rangeOf(node),
      header: this.headers.get(node),
      ruby: read.ruby,
    });
  }

  /** Raw HTML between paragraphs may hold prose; its tags are kept, scripts and comments are code. */
  private addHtml(node: Extract<Nodes, { type: 'html' }>, kind: BlockKind): void {
    const { start, end } = rangeOf(node);
    const source = this.text.slice(start, end);
    const isCode = /^<(?:script|style|pre|!--|\?)/i.test(source) || this.hiddenIn({ start, end }).length > 0;
    const { items, ruby } = htmlItems(isCode ? '' : source, start);
    const found = readFlowText(items, true);
    if (found !== undefined && /\p{L}/u.test(found.text))
      this.blocks.push({ ...found, kind, level: 0, node: { start, end }, ruby });
    else this.addZone(node, 'code');
  }

  /** Indented code goes on behind blank lines, and hidden markup looks like blank lines to the parser: it is no part of the code. */
  private addZone(node: Nodes, reason: SkipReason): void {
    const { start, end } = rangeOf(node);
    let from = start;
    for (const hidden of this.hiddenIn({ start, end })) {
      this.zones.push({ start: from, end: Math.max(from, hidden.start), reason });
      from = hidden.end;
    }
    this.zones.push({ start: from, end: Math.max(from, end), reason });
  }

  private hiddenIn({ start, end }: Range): readonly Range[] {
    const first = firstFrom(this.hidden, start + 1, (range) => range.end);
    return this.hidden.slice(
      first,
      Math.max(
        first,
        firstFrom(this.hidden, end, (range) => range.start),
      ),
    );
  }
}
