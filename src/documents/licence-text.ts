/**
 * The frame that a distributor puts around a free book: header, licence, colophon. Its wording is prescribed, so it stays
 * as it is, in every format; what is neither translated nor dropped is not counted either.
 */
import { stripInlineTags } from '../inline-tags.ts';
import type { SkipTally } from './skip-tally.ts';

/** The line between the header and the book. */
const startLine = /^\s*\*{3} ?START OF TH(?:IS|E) PROJECT GUTENBERG|^\s*\*END\*? ?THE SMALL PRINT/im;
/** The line between the book and the licence, or the sentence above it: "End of Project Gutenberg's Night Ferry, by …". */
const endLine =
  /^\s*\*{3} ?END OF TH(?:IS|E) PROJECT GUTENBERG|^\s*End of (?:the |this )?Project Gutenberg(?:['’]s| E-?(?:book|text))/im;

export function beginsBook(line: string): boolean {
  return line.length < 400 && startLine.test(line);
}

export function endsBook(line: string): boolean {
  return line.length < 400 && endLine.test(line);
}

interface TextBlock {
  text: string;
  characters: number;
}

/** Takes the frame out of the blocks of a book, part by part in reading order. */
export class LicenceFrame {
  #hasEnded = false;

  /** The blocks that belong to the book; the others are counted as boilerplate. */
  bookBlocks<Block extends TextBlock>(blocks: readonly Block[], skipped: SkipTally): Block[] {
    const from = this.#hasEnded ? blocks.length : blocks.findLastIndex((block) => hasLine(block, startLine)) + 1;
    const end = blocks.findIndex((block, i) => i >= from && hasLine(block, endLine));
    const to = end < 0 ? blocks.length : end;
    this.#hasEnded ||= end >= 0;
    if (from === 0 && to === blocks.length) return [...blocks];
    for (const block of [...blocks.slice(0, from), ...blocks.slice(to)]) skipped.add('boilerplate', block.characters);
    return blocks.slice(from, to);
  }
}

/** A header set as one preformatted block has a few thousand characters; a block with a book in it has more. */
function hasLine({ text }: TextBlock, line: RegExp): boolean {
  return text.length < 20_000 && /\*{3}|\*END|End of/.test(text) && line.test(stripInlineTags(text));
}

/** The same for a format that has all of its blocks in one list; `isRunning` tells text from headers and labels. */
export function withoutLicence<Block extends TextBlock>(
  blocks: readonly Block[],
  skipped: SkipTally,
  isRunning: (block: Block) => boolean = () => true,
): Block[] {
  const kept = new Set(new LicenceFrame().bookBlocks(blocks.filter(isRunning), skipped));
  return blocks.filter((block) => !isRunning(block) || kept.has(block));
}
