/**
 * The neutral document: what every reader produces and every writer consumes. Sections hold blocks in reading
 * order; a block is the smallest thing that is translated as a whole. Pure data, so it can cross a process border.
 */
import { unaccountedText } from './source-faults.ts';

export type DocumentFormat = 'txt' | 'markdown' | 'html' | 'epub' | 'docx' | 'fb2' | 'odt';

export type BlockKind = 'heading' | 'paragraph' | 'verse' | 'list-item' | 'cell' | 'note' | 'caption' | 'label';

export interface Block {
  /** `b1`, `b2`, … in reading order. The same bytes with the same limit always give the same ids. */
  id: string;
  kind: BlockKind;
  /** The text to translate; inline markup as numbered tags (see `inline-tags.ts`), line breaks inside verse as `\n`. */
  text: string;
  /** Code points of `text` without its tags. */
  characters: number;
  /** Counted characters between the text of the block before and this one: white space, separators. Plain text has them; absent = 0. */
  before?: number;
  /** Readings beside the text, in its order; only shown to readers. Absent where there are none. */
  ruby?: readonly RubyReading[];
  /** Numbers of the inline tags that are italics, 0 for the whole text; only shown to readers. Absent where there are none. */
  italics?: readonly number[];
}

/** What stands above or beside a word of the text, such as かんじ for 漢字. */
export interface RubyReading {
  base: string;
  reading: string;
}

export interface Section {
  /** Heading of the chapter as text without tags; undefined for front matter and books without chapters. */
  title: string | undefined;
  blocks: Block[];
}

/**
 * Why text of the source is in no block. `repeats-heading`: a table-of-contents label or metadata title that equals a
 * block's text and takes its translation. `boilerplate`: the frame of a distributor, such as a licence, which stays as it
 * is. `front-matter`: before the first chapter of prose, where a preview begins there. `beyond-limit`: after the char_limit.
 */
export type SkipReason =
  | 'whitespace'
  | 'separator'
  | 'ruby-annotation'
  | 'repeats-heading'
  | 'code'
  | 'markup'
  | 'metadata'
  | 'hidden'
  | 'boilerplate'
  | 'front-matter'
  | 'beyond-limit';

export interface Skipped {
  reason: SkipReason;
  characters: number;
}

export type WritingMode = 'horizontal' | 'vertical';

export interface Document {
  format: DocumentFormat;
  /** Character encoding of text formats as a WHATWG label, such as `gb18030`. */
  encoding: string | undefined;
  title: string | undefined;
  author: string | undefined;
  declaredLanguage: string | undefined;
  writingMode: WritingMode;
  hasRuby: boolean;
  imageCount: number;
  sections: Section[];
  /**
   * Characters of the range that are counted for credits. Plain text: every code point (CRLF as one, no BOM) but ruby
   * readings and boilerplate. Markup formats: the code points of the blocks, which hold neither.
   */
  characters: number;
  /** The same count for the whole source, whatever the limit. */
  totalCharacters: number;
  /** Every code point of text in the source, translatable or not: the left side of the coverage identity. */
  textCharacters: number;
  skipped: Skipped[];
}

export interface DocumentWarning {
  code: string;
  message: string;
}

export interface ReadResult {
  document: Document;
  warnings: DocumentWarning[];
  /** Counted characters before a section, where more is counted than what stands in blocks. */
  sectionStart?(index: number): number;
}

export interface ReadOptions {
  fileName?: string;
  /** Take only the first N counted characters, never splitting a grapheme cluster. */
  charLimit?: number;
  /** The range begins at the first chapter of prose; what comes before stays as it is and is not counted. */
  skipFrontMatter?: boolean;
  /** What an archive may unpack to, where less than `archiveLimits` is allowed. */
  maxArchiveBytes?: number;
}

export interface WriteOptions {
  /** Canonical tags as in `languages.ts`. */
  sourceLang: string;
  targetLang: string;
  /** `bilingual`: each source block followed by its translation. */
  variant: 'translated' | 'bilingual';
  /** Whose output it is and when that was ordered: the same for every attempt, so that a retry writes the same bytes. */
  edition?: { id: string; modifiedAt: Date };
}

/** By block id; a block without one stays as it is. */
export type Translations = ReadonlyMap<string, string>;

export interface WrittenDocument {
  bytes: Uint8Array;
  /** Without the dot, as in the source. */
  extension: string;
  mediaType: string;
}

export type WriteResult = WrittenDocument & { warnings?: DocumentWarning[] };

/** @param document what was read from these bytes */
export type Writer = (
  bytes: Uint8Array,
  document: Document,
  translations: Translations,
  options: WriteOptions,
) => WriteResult;

export function repairWarnings(repairs: number): DocumentWarning[] {
  if (repairs === 0) return [];
  const message = `${repairs} inline tags of the translation were not as in the source and had to be put right.`;
  return [{ code: 'INLINE_MARKUP_LOST', message }];
}

export function blocksOf(document: Document): Block[] {
  return document.sections.flatMap((section) => section.blocks);
}

export function charactersIn(blocks: readonly Pick<Block, 'characters'>[]): number {
  return blocks.reduce((sum, block) => sum + block.characters, 0);
}

/** Code points, the unit of credits: the one function that counts. */
export function countCharacters(text: string): number {
  // Most texts have no surrogates, and a search for one is faster than a copy without pairs.
  if (!/[\ud800-\udbff]/.test(text)) return text.length;
  return text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ' ').length;
}

/**
 * The coverage identity: all text = text in blocks + text skipped with a reason. A reader that breaks it would lose
 * a paragraph silently, so it is a fault of ours and the source is refused.
 * @throws BAD_REQUEST UNREADABLE_SOURCE
 */
export function assertCoverage(document: Document): void {
  const inBlocks = charactersIn(blocksOf(document));
  const inSkipped = charactersIn(document.skipped);
  if (inBlocks + inSkipped !== document.textCharacters) {
    throw unaccountedText(`${document.format} source`, document.textCharacters, inBlocks + inSkipped);
  }
}
