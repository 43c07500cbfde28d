/** A part of a document (an XML entry of its archive) with the blocks found in it. */

import { type DraftSection, draftBlock, levelOfChapters, maxTitleHeadings, plainLine } from '../assemble-document.ts';
import type { Block, BlockKind, RubyReading } from '../document.ts';
import type { MarkupElement, MarkupTree } from '../markup/markup.ts';
import { isSeparatorLine } from '../scene-breaks.ts';
import type { SkipTally } from '../skip-tally.ts';
import { countItems, type FlowText, type Group, type Item, readFlowText } from './inline-items.ts';

export interface FlowBlock extends FlowText {
  kind: BlockKind;
  /** 1 for the headings that begin chapters, 2 and more below; 0 for everything else. */
  level: number;
  part: FlowPart;
  /** The paragraph element. */
  container: MarkupElement;
  /** How text inside is written, when the paragraph has a formatting of its own. */
  baseStyle: string | undefined;
  /** The style of the paragraph is italic. */
  isItalic?: boolean;
  ruby?: readonly RubyReading[];
}

export interface FlowPart {
  name: string;
  tree: MarkupTree;
  /** The element that holds the text, after which a limited document ends; undefined for notes, headers and the like. */
  body: MarkupElement | undefined;
}

/** Adds the block of a paragraph, or counts what it holds as white space. Returns the characters of the block. */
export function takeBlock(
  blocks: FlowBlock[],
  items: readonly Item[],
  place: Pick<FlowBlock, 'kind' | 'level' | 'part' | 'container' | 'baseStyle' | 'isItalic' | 'ruby'>,
  skipped: SkipTally,
  collapses: boolean,
): number {
  const read = readFlowText(items, collapses);
  if (read === undefined) {
    skipped.add('whitespace', countItems(items));
    return 0;
  }
  skipped.add('whitespace', read.blankCharacters);
  skipped.add('markup', read.literalCharacters);
  if (isSeparatorLine(read.text)) {
    skipped.add('separator', read.characters);
    return 0;
  }
  if (read.characters > 0) blocks.push({ ...read, ...place });
  return read.characters;
}

type DraftFields = Pick<FlowBlock, 'kind' | 'level' | 'text' | 'characters' | 'ruby' | 'tags'> &
  Partial<Pick<FlowBlock, 'isItalic' | 'baseStyle'>>;

/** Headings in a row share a section: two of the same level name it together. */
export function flowSections(blocks: readonly DraftFields[]): DraftSection[] {
  // Where no level has two headings, the first is the title of the book and the next below it a chapter.
  const begins = levelOfChapters(blocks) ?? distinctLevels(blocks).slice(0, 2).at(-1) ?? 0;
  const sections: DraftSection[] = [];
  let headings: { level: number; text: string }[] = [];
  let onlyHeadings = false;
  for (const block of blocks) {
    const startsSection = block.level > 0 && block.level <= begins;
    let current = sections.at(-1);
    if (current === undefined || (startsSection && !onlyHeadings)) {
      current = { title: undefined, blocks: [] };
      sections.push(current);
      headings = [];
      onlyHeadings = true;
    }
    if (block.level === 0) onlyHeadings = false;
    if (startsSection && headings.length < maxTitleHeadings) {
      headings.push({ level: block.level, text: plainLine(block.text) });
      const deepest = Math.max(...headings.map(({ level }) => level));
      current.title = headings
        .filter(({ level }) => level === deepest)
        .map(({ text }) => text)
        .join(' ');
    }
    current.blocks.push(draftOf(block));
  }
  return sections;
}

function distinctLevels(blocks: readonly DraftFields[]): number[] {
  return [...new Set(blocks.map(({ level }) => level))].filter((level) => level > 0).sort((a, b) => a - b);
}

function draftOf({ tags, isItalic, baseStyle, ...block }: DraftFields): Omit<Block, 'id'> {
  const inside = tags.flatMap((tag, i) => (tag.kind === 'group' && isItalicGroup(tag) ? [i + 1] : []));
  return draftBlock(block, isItalic || isItalicRun(baseStyle) ? [0, ...inside] : inside);
}

/** `*…*` of Markdown, `<emphasis>` of FB2, an italic style of ODT, `<w:i/>` of Word. */
function isItalicGroup({ open, style, isItalic = false }: Group): boolean {
  return isItalic || open === '*' || open === '_' || /^<emphasis\b/.test(open) || isItalicRun(style);
}

function isItalicRun(style = ''): boolean {
  return /<w:i(?:\s+w:val="(?:1|true|on)")?\s*\/>/.test(style);
}
