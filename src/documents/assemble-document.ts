/** Makes the document of a markup format from what a reader found: ids, sections, the character limit, the counts. */
import { stripInlineTags } from '../inline-tags.ts';
import { headingShape } from '../language/headings.ts';
import { cutInlineText } from './char-limit.ts';
import { type Block, countCharacters, type Document, type Section } from './document.ts';
import type { SkipTally } from './skip-tally.ts';
import { sourceFault } from './source-faults.ts';

export interface DraftSection {
  title: string | undefined;
  blocks: Omit<Block, 'id'>[];
}

/** Headings in a row name a chapter together; a page of nothing but headings is not named by all of them. */
export const maxTitleHeadings = 6;

/** A text on one line and without markup, as the title of a chapter is. */
export function plainLine(text: string): string {
  return stripInlineTags(text).replace(/\s+/g, ' ').trim();
}

/** `italics`: the numbers of the tags that are. */
export function draftBlock(
  { kind, text, characters, ruby = [] }: Omit<Block, 'id'>,
  italics: readonly number[],
): Omit<Block, 'id'> {
  return {
    ...{ kind, text, characters },
    ...(ruby.length > 0 ? { ruby } : {}),
    ...(italics.length > 0 ? { italics } : {}),
  };
}

export type DocumentFacts = Omit<Document, 'sections' | 'characters' | 'totalCharacters' | 'skipped'>;

export function assembleDocument(
  facts: DocumentFacts,
  drafts: readonly DraftSection[],
  skipped: SkipTally,
  charLimit = Number.POSITIVE_INFINITY,
): Document {
  const sections: Section[] = [];
  let left = charLimit;
  let characters = 0;
  let totalCharacters = 0;
  let number = 0;
  const headings = new HeadingCount();
  for (const draft of drafts) {
    const section: Section = { title: draft.title, blocks: [] };
    for (const block of draft.blocks) {
      number++;
      if (block.kind === 'heading') headings.add();
      totalCharacters += block.characters;
      const kept = left <= 0 ? undefined : left >= block.characters ? block : cutBlock(block, left);
      // After a cut nothing follows, even when a grapheme cluster left a character unused.
      left = kept === block ? left - block.characters : 0;
      if (kept !== undefined) section.blocks.push({ id: `b${number}`, ...kept });
      characters += kept?.characters ?? 0;
      skipped.add('beyond-limit', block.characters - (kept?.characters ?? 0));
    }
    if (section.blocks.length > 0) sections.push(section);
  }
  return { ...facts, sections, characters, totalCharacters, skipped: skipped.list() };
}

/** True when the document holds only the opening range of its source. */
export function isLimited(document: Document): boolean {
  return document.characters < document.totalCharacters;
}

function cutBlock(block: Omit<Block, 'id'>, maxCharacters: number): Omit<Block, 'id'> | undefined {
  const text = cutInlineText(block.text, maxCharacters);
  const characters = countCharacters(stripInlineTags(text));
  return characters === 0 ? undefined : { ...block, text, characters };
}

/**
 * The level whose headings begin chapters: the highest that has several. A single heading above them is the title of the book or
 * of its volume. "Part One" and "Part Two" stand above chapters where there is a level below. Undefined when no level has several.
 */
export function levelOfChapters(headings: readonly { level: number; text: string }[]): number | undefined {
  const byLevel = new Map<number, string[]>();
  for (const { level, text } of headings) {
    if (level === 0) continue;
    const texts = byLevel.get(level) ?? [];
    texts.push(text);
    byLevel.set(level, texts);
  }
  const several = [...byLevel].filter(([, texts]) => texts.length > 1).sort(([a], [b]) => a - b);
  return (several.find(([, texts]) => !areParts(texts)) ?? several[0])?.[0];
}

function areParts(texts: readonly string[]): boolean {
  const parts = texts.filter((text) => headingShape(stripInlineTags(text).trim())?.level === 'part');
  // A prologue or an index may stand beside them.
  return parts.length * 2 > texts.length;
}

/** Every heading may begin a chapter, and each chapter is a row, an event and a page of its own. */
const maxHeadings = 50_000;

/** Refuses what has more headings than any book, as soon as that is known. */
export class HeadingCount {
  #count = 0;

  /** @throws BAD_REQUEST TOO_MANY_HEADINGS */
  add(): void {
    if (++this.#count > maxHeadings) throw sourceFault('TOO_MANY_HEADINGS');
  }
}
