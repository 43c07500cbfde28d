/** Parses Markdown (GFM, front matter, footnotes) and finds its blocks as ranges of the source. */
import type { Heading, Nodes, Paragraph, Parent, Root, Table, TableCell } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import type { BlockKind, DocumentWarning, SkipReason } from '../document.ts';
import { decodeText } from '../encoding/decode-text.ts';
import { type FlowText, readFlowText } from '../flow/inline-items.ts';
import { withoutLicence } from '../licence-text.ts';
import { SkipTally } from '../skip-tally.ts';
import { countTextCharacters } from '../txt/limit-text.ts';
import { htmlItems, inlineItems, rangeOf } from './inline-nodes.ts';

export interface MarkdownBlock extends FlowText {
  kind: BlockKind;
  level: number;
  /** Source of a hard line break inside the block, with the prefix of the line after it. */
  lineBreak: string | undefined;
  /** The range of the paragraph itself, with what stands at its edges. */
  nodeStart: number;
  nodeEnd: number;
  /** Of a cell in the header row: the columns of its table and those up to it. */
  header: { columns: number; column: number } | undefined;
}

export interface MarkdownSource {
  text: string;
  encoding: string;
  warnings: DocumentWarning[];
  blocks: MarkdownBlock[];
  /** Link targets, which a limited document still needs. */
  definitions: { start: number; end: number }[];
  noteReferences: { start: number; end: number; label: string }[];
  /** Where the text of each footnote begins, by label. */
  notes: ReadonlyMap<string, number>;
  frontMatter: string;
  skipped: SkipTally;
  textCharacters: number;
  imageCount: number;
}

/** @throws BAD_REQUEST NOT_TEXT, UNREADABLE_ENCODING */
export function openMarkdown(bytes: Uint8Array): MarkdownSource {
  const { text, encoding, warnings } = decodeText(bytes);
  const tree = fromMarkdown(text, {
    extensions: [gfm(), frontmatter(['yaml', 'toml'])],
    mdastExtensions: [gfmFromMarkdown(), frontmatterFromMarkdown(['yaml', 'toml'])],
  });
  const reader = new MarkdownReader(text);
  reader.read(tree);
  const skipped = reader.tally();
  return {
    text,
    encoding,
    warnings,
    blocks: withoutLicence(reader.blocks, skipped),
    definitions: reader.definitions,
    noteReferences: reader.noteReferences,
    notes: reader.notes,
    frontMatter: reader.frontMatter,
    skipped,
    textCharacters: countTextCharacters(text),
    imageCount: reader.imageCount,
  };
}

function nodeRange(node: Nodes): { nodeStart: number; nodeEnd: number } {
  const { start, end } = rangeOf(node);
  return { nodeStart: start, nodeEnd: end };
}

class MarkdownReader {
  readonly blocks: MarkdownBlock[] = [];
  readonly definitions: { start: number; end: number }[] = [];
  readonly noteReferences: { start: number; end: number; label: string }[] = [];
  readonly notes = new Map<string, number>();
  frontMatter = '';
  imageCount = 0;
  private readonly text: string;
  private readonly headers = new Map<Nodes, { columns: number; column: number }>();
  /** Ranges of code, front matter and rules: not translated, each for its own reason. */
  private readonly zones: { start: number; end: number; reason: SkipReason }[] = [];

  constructor(text: string) {
    this.text = text;
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
      else skipped.add('markup', length - (range as MarkdownBlock).characters);
      done = range.end;
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
        return true;
      case 'paragraph':
        this.addBlock(node, kind, 0);
        return true;
      case 'tableCell':
        this.addBlock(node, 'cell', 0);
        return true;
      case 'html':
        this.addHtml(node, kind);
        return true;
      case 'code':
        this.addZone(node, 'code');
        return true;
      case 'thematicBreak':
        this.addZone(node, 'separator');
        return true;
      case 'definition':
        this.definitions.push(rangeOf(node));
        return true;
      case 'footnoteDefinition':
        this.notes.set(node.identifier, rangeOf(node).start);
        return false;
      default:
        if (node.type !== 'yaml' && (node.type as string) !== 'toml') return false;
        this.frontMatter = 'value' in node ? node.value : '';
        this.addZone(node, 'metadata');
        return true;
    }
  }

  private addBlock(node: Heading | Paragraph | TableCell, kind: BlockKind, level: number): void {
    const read = inlineItems(node.children, this.text);
    this.imageCount += read.images;
    this.noteReferences.push(...read.noteReferences);
    const found = readFlowText(read.items, true);
    if (found === undefined || found.characters === 0) return;
    const isVerse = kind === 'paragraph' && read.lineBreak !== undefined && found.text.split('\n').length > 2;
    this.blocks.push({
      ...found,
      kind: isVerse ? 'verse' : kind,
      level,
      lineBreak: read.lineBreak,
      ...nodeRange(node),
      header: this.headers.get(node),
    });
  }

  /** Raw HTML between paragraphs may hold prose; its tags are kept, scripts and comments are code. */
  private addHtml(node: Extract<Nodes, { type: 'html' }>, kind: BlockKind): void {
    const { start, end } = rangeOf(node);
    const source = this.text.slice(start, end);
    const found = /^<(?:script|style|pre|!--|\?)/i.test(source)
      ? undefined
      : readFlowText(htmlItems(source, start), true);
    if (found !== undefined && /\p{L}/u.test(found.text))
      this.blocks.push({
        ...found,
        kind,
        level: 0,
        lineBreak: undefined,
        nodeStart: start,
        nodeEnd: end,
        header: undefined,
      });
    else this.zones.push({ start, end, reason: 'code' });
  }

  private addZone(node: Nodes, reason: SkipReason): void {
    this.zones.push({ ...rangeOf(node), reason });
  }
}
