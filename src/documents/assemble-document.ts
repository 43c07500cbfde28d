/** Makes the document of a markup format from what a reader found: ids, sections, the character limit, the counts. */

import { stripInlineTags } from '../inline-tags.ts';
import { cutInlineText } from './char-limit.ts';
import { type Block, countCharacters, type Document, type Section } from './document.ts';
import { HeadingCount } from './heading-count.ts';
import type { SkipTally } from './skip-tally.ts';

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
