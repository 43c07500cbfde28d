/** Writes Markdown with its blocks replaced; everything between them stays byte for byte. */
import { isLimited, plainLine } from '../assemble-document.ts';
import { blocksOf, repairWarnings, type Translations, type WriteOptions, type Writer } from '../document.ts';
import { type FlowDialect, renderFlow } from '../flow/render-flow.ts';
import { writeText } from '../flow/write-flow.ts';
import { Edits } from '../markup/edits.ts';
import { quoteMark } from '../translation-mark.ts';
import { type MarkdownBlock, type MarkdownSource, newlineOf, openMarkdown } from './markdown-source.ts';
import type { GridTable } from './pandoc-markup.ts';

export const writeMarkdown: Writer = (bytes, document, translations, options) => {
  const source = openMarkdown(bytes);
  const edits = new Edits(source.text);
  const read = blocksOf(document);
  const limited = isLimited(document);
  const keptBlocks = limited ? source.blocks.slice(0, Number((read.at(-1)?.id ?? 'b0').slice(1))) : source.blocks;
  if (limited) dropDeadReferences(source, keptBlocks.at(-1)?.node.end ?? 0, edits);
  let repairs = 0;
  writeGridTables(source, keptBlocks, translations, edits, options);
  if (translations.size > 0) setLanguage(source, edits, options);
  for (const [index, block] of keptBlocks.entries()) {
    if (block.grid !== undefined) continue;
    if (block.quote !== undefined) {
      writeTitle(block, translations.get(`b${index + 1}`), edits, options);
      continue;
    }
    const isLast = limited && index === keptBlocks.length - 1;
    const text = isLast ? (read.at(-1)?.text ?? block.text) : block.text;
    repairs += writeBlock(source, block, text, translations.get(`b${index + 1}`), edits, options);
  }
  if (limited) endAfter(source, keptBlocks.at(-1), edits);
  return {
    bytes: Buffer.from(edits.apply(), 'utf8'),
    extension: 'md',
    mediaType: 'text/markdown; charset=utf-8',
    warnings: repairWarnings(repairs),
  };
};

function writeBlock(
  source: MarkdownSource,
  block: MarkdownBlock,
  text: string,
  translation: string | undefined,
  edits: Edits,
  options: WriteOptions,
): number {
  const dialect: FlowDialect = {
    text: (plain) => escapeMarkdown(plain, block.kind === 'cell'),
    lineBreak: () => block.lineBreak ?? ' ',
    dropsEmptyGroups: true,
  };
  const sliceOf = (start: number, end: number) => edits.slice(start, end);
  return writeText({ block, source: text, translation, variant: options.variant }, edits, {
    render: (written, isCopy) => {
      const rendered = renderFlow(block, written, text, { dialect, sliceOf, isCopy });
      return { ...rendered, markup: escapeLineStart(rendered.markup) };
    },
    putBeside: (markup) => {
      if (block.kind === 'cell') edits.insert(block.end, `<br>${markup}`);
      else if (block.kind === 'heading' || isTerm(source.text, block)) edits.insert(block.end, ` — ${markup}`);
      else edits.insert(block.node.end, quoted(source.text, block, markup));
    },
  });
}

/** A value of the front matter, quoted so that it is a text whatever it holds. */
function writeTitle(
  { text, quote, start, end }: MarkdownBlock,
  translation: string | undefined,
  edits: Edits,
  { variant }: WriteOptions,
): void {
  if (translation === undefined || translation === text) return;
  const plain = plainLine(translation);
  const both = variant === 'bilingual' ? `${text} — ${plain}` : plain;
  const escaped = both.replace(/["\\]/g, '\\$&');
  if (quote === 'single') edits.replace(start, end, both.replaceAll("'", "''"));
  else edits.replace(start, end, quote === 'double' ? escaped : quote === 'none' ? `"${escaped}"` : both);
}

/** `lang` of the front matter is the language of the text. */
function setLanguage(
  { text, reader: { frontMatter } }: MarkdownSource,
  edits: Edits,
  { targetLang }: WriteOptions,
): void {
  if (frontMatter === '') return;
  const match = /^(lang(?:uage)?[ \t]*[:=][ \t]*["']?)([A-Za-z][\w-]*)/im.exec(text.slice(0, frontMatter.length + 10));
  if (match === null) return;
  const start = match.index + (match[1] ?? '').length;
  edits.replace(start, start + (match[2] ?? '').length, targetLang);
}

function writeGridTables(
  source: MarkdownSource,
  blocks: readonly MarkdownBlock[],
  translations: Translations,
  edits: Edits,
  { variant }: WriteOptions,
): void {
  const cells = new Map<GridTable, Map<string, string>>();
  for (const [index, { grid, text }] of blocks.entries()) {
    const translation = translations.get(`b${index + 1}`);
    if (grid === undefined || translation === undefined || translation === text) continue;
    const plain = plainLine(translation);
    const own = cells.get(grid.table) ?? new Map<string, string>();
    own.set(`${grid.row} ${grid.column}`, variant === 'bilingual' ? `${text} — ${plain}` : plain);
    cells.set(grid.table, own);
  }
  for (const [table, texts] of cells) {
    const rows = table.rows.map((cells, row) => cells.map((cell, column) => texts.get(`${row} ${column}`) ?? cell));
    edits.replace(table.start, table.end, drawGridTable({ ...table, rows }, newlineOf(source.text)));
  }
}

/** The translation as a block quote in the container of its source, with a blank line on both sides. */
function quoted(source: string, block: MarkdownBlock, markup: string): string {
  const newline = newlineOf(source);
  const lineStart =
    Math.max(source.lastIndexOf('\n', block.node.start - 1), source.lastIndexOf('\r', block.node.start - 1)) + 1;
  const prefix = source
    .slice(lineStart, block.node.start)
    .replace(/\[\^[^\]]*\]:\s*/, '    ')
    .replace(/\[[ xX]\] /, '')
    .replace(/[-*+]|^\s*[:~](?=\s)|\d+[.)]/g, (marker) => ' '.repeat(marker.length));
  // The bar of a line block goes into the quote with its lines.
  const [outer, bar] = /^\| $/.test(prefix) ? ['', prefix] : [prefix, ''];
  const blank = `${newline}${outer.trimEnd()}`;
  const lines = markup
    .split(/\r\n|[\r\n]/)
    .map(
      (line, i) => outer + quoteMark + (i === 0 ? bar + line : line.slice(line.startsWith(outer) ? outer.length : 0)),
    );
  const after = source.slice(block.node.end, block.node.end + 200);
  const isBeforeBlank = /^[ \t]*(?:$|(?:\r\n|\n|\r(?!\n))[ \t>]*(?:[\r\n]|$))/.test(after);
  return `${blank}${newline}${lines.join(newline)}${isBeforeBlank ? '' : blank}`;
}

/** A term is the one line above its definition. */
function isTerm(source: string, { kind, node }: MarkdownBlock): boolean {
  const after = source.slice(node.end, node.end + 200);
  return kind === 'paragraph' && /^[ \t]*(?:\r?\n[ \t]*){1,2} {0,3}[:~][ \t]+\S/.test(after);
}

/** The mark of a footnote whose text lies beyond the limit would be read as plain text. */
function dropDeadReferences(source: MarkdownSource, end: number, edits: Edits): void {
  for (const reference of source.reader.noteReferences) {
    const note = source.reader.notes.get(reference.label);
    if (reference.start < end && (note === undefined || note >= end)) edits.remove(reference.start, reference.end);
  }
}

/** Links of the opening may be defined at the end of the file. */
function endAfter(source: MarkdownSource, last: MarkdownBlock | undefined, edits: Edits): void {
  const end = last?.end ?? frontMatterEnd(source);
  const closing = last?.kind === 'cell' ? closeRow(last) : '';
  const later = source.reader.definitions.filter(({ start }) => start >= end);
  const links = later.map(({ start, end: to }) => source.text.slice(start, to));
  edits.replace(end, source.text.length, `${closing}\n${links.length > 0 ? `\n${links.join('\n')}\n` : ''}`);
}

/** A header row without all of its cells and the line below it would not be a table. */
function closeRow({ header }: MarkdownBlock): string {
  if (header === undefined) return ' |';
  return `${' |'.repeat(header.columns - header.column + 1)}\n${'|---'.repeat(header.columns)}|`;
}

function frontMatterEnd(source: MarkdownSource): number {
  const first = source.blocks[0]?.start ?? 0;
  return source.reader.frontMatter === '' ? 0 : source.text.lastIndexOf('\n', first) + 1;
}

/** A grid table drawn anew around its translated cells. */
function drawGridTable(table: GridTable, newline: string): string {
  const columns = table.borders.length - 1;
  const texts = table.rows.map((row) => row.map(wrap));
  const widths = Array.from({ length: columns }, (_, c) =>
    Math.max(3, ...texts.map((row) => Math.max(0, ...(row[c] ?? []).map((line) => [...line].length)))),
  );
  const rule = (sign: string) => `${table.indent}+${widths.map((width) => sign.repeat(width + 2)).join('+')}+`;
  const lines = [rule(table.rules[0] ?? '-')];
  texts.forEach((row, r) => {
    const height = Math.max(1, ...row.map((cell) => cell.length));
    for (let i = 0; i < height; i++) {
      const cells = widths.map((width, c) => ` ${pad(row[c]?.[i] ?? '', width)} `);
      lines.push(`${table.indent}|${cells.join('|')}|`);
    }
    lines.push(rule(table.rules[r + 1] ?? '-'));
  });
  return lines.join(newline);
}

/** Long cells go on in the next line, as their writers had it. */
const cellColumns = 40;

function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > cellColumns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length));
}

/** Text that must stay text: characters that would begin markup are escaped, and only those. */
function escapeMarkdown(text: string, inTable: boolean): string {
  const escaped = text
    .replace(/[\\`*[\]<~]/g, '\\$&')
    // An underscore inside a word is no emphasis in CommonMark.
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/&(?=#?\w+;)/g, '\\&');
  return inTable ? escaped.replaceAll('|', '\\|') : escaped;
}

/** What would make the first line of a block a heading, a quote, a list or a rule. */
function escapeLineStart(markup: string): string {
  return markup
    .replace(/^(#{1,6})(?=\s|$)/, '\\$1')
    .replace(/^([>+-])(?=\s|$|[>+-])/, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
    .replace(/^(=+|-+)\s*$/, '\\$1');
}
