/** Writes Markdown with its blocks replaced; everything between them stays byte for byte. */
import { isLimited } from '../assemble-document.ts';
import {
  blocksOf,
  type Document,
  type DocumentWarning,
  type Translations,
  type WriteOptions,
  type WrittenDocument,
} from '../document.ts';
import { type FlowDialect, renderFlow } from '../flow/render-flow.ts';
import { Edits } from '../markup/edits.ts';
import { escapeLineStart, escapeMarkdown } from './escape-markdown.ts';
import { type MarkdownBlock, type MarkdownSource, openMarkdown } from './markdown-source.ts';

export function writeMarkdown(
  bytes: Uint8Array,
  document: Document,
  translations: Translations,
  options: WriteOptions,
): WrittenDocument & { warnings: DocumentWarning[] } {
  const source = openMarkdown(bytes);
  const edits = new Edits(source.text);
  const read = blocksOf(document);
  const limited = isLimited(document);
  const keptBlocks = limited ? source.blocks.slice(0, Number((read.at(-1)?.id ?? 'b0').slice(1))) : source.blocks;
  if (limited) dropDeadReferences(source, keptBlocks.at(-1)?.nodeEnd ?? 0, edits);
  let repairs = 0;
  for (const [index, block] of keptBlocks.entries()) {
    const isLast = limited && index === keptBlocks.length - 1;
    const text = isLast ? (read.at(-1)?.text ?? block.text) : block.text;
    repairs += writeBlock(source, block, text, translations.get(`b${index + 1}`), edits, options);
  }
  if (limited) endAfter(source, keptBlocks.at(-1), edits);
  const lost = { code: 'INLINE_MARKUP_LOST', message: `${repairs} inline tags of the translation could not be kept.` };
  return {
    bytes: Buffer.from(edits.apply(), 'utf8'),
    extension: 'md',
    mediaType: 'text/markdown; charset=utf-8',
    warnings: repairs === 0 ? [] : [lost],
  };
}

function writeBlock(
  source: MarkdownSource,
  block: MarkdownBlock,
  text: string,
  translation: string | undefined,
  edits: Edits,
  options: WriteOptions,
): number {
  const newline = source.text.includes('\r\n') ? '\r\n' : '\n';
  const dialect: FlowDialect = {
    text: (plain) => escapeMarkdown(plain, block.kind === 'cell'),
    lineBreak: () => block.lineBreak ?? ' ',
  };
  const render = (written: string, isCopy: boolean) => {
    const sliceOf = (start: number, end: number) => edits.slice(start, end);
    const rendered = renderFlow(block, written, text, { dialect, sliceOf, isCopy });
    return { ...rendered, markup: escapeLineStart(rendered.markup) };
  };
  if (translation === undefined || options.variant === 'translated') {
    const written = translation ?? text;
    if (written === block.text) return 0;
    const { markup, repairs } = render(written, false);
    edits.replace(block.start, block.end, markup);
    return repairs;
  }
  if (text !== block.text) edits.replace(block.start, block.end, render(text, false).markup);
  const { markup, repairs } = render(translation, true);
  const isLine = block.kind === 'heading' || block.kind === 'cell';
  edits.insert(isLine ? block.end : block.nodeEnd, separatorOf(source.text, block, newline) + markup);
  return repairs;
}

/** Headings and cells are one line each; elsewhere the translation is a paragraph of its own in the same container. */
function separatorOf(source: string, block: MarkdownBlock, newline: string): string {
  if (block.kind === 'heading') return ' — ';
  if (block.kind === 'cell') return '<br>';
  const lineStart =
    Math.max(source.lastIndexOf('\n', block.nodeStart - 1), source.lastIndexOf('\r', block.nodeStart - 1)) + 1;
  const prefix = source
    .slice(lineStart, block.nodeStart)
    .replace(/\[\^[^\]]*\]:\s*/, '    ')
    .replace(/\[[ xX]\] /, '')
    .replace(/[-*+]|\d+[.)]/g, (marker) => ' '.repeat(marker.length));
  return `${newline}${prefix.trimEnd()}${newline}${prefix}`;
}

/** The mark of a footnote whose text lies beyond the limit would be read as plain text. */
function dropDeadReferences(source: MarkdownSource, end: number, edits: Edits): void {
  for (const reference of source.noteReferences) {
    const note = source.notes.get(reference.label);
    if (reference.start < end && (note === undefined || note >= end)) edits.remove(reference.start, reference.end);
  }
}

/** Links of the opening may be defined at the end of the file. */
function endAfter(source: MarkdownSource, last: MarkdownBlock | undefined, edits: Edits): void {
  const end = last?.end ?? frontMatterEnd(source);
  const closing = last?.kind === 'cell' ? closeRow(last) : '';
  const later = source.definitions.filter(({ start }) => start >= end);
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
  return source.frontMatter === '' ? 0 : source.text.lastIndexOf('\n', first) + 1;
}
