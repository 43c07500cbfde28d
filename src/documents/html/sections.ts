/** Chapters of a page: headings of the level that the book uses for them begin one, and so do elements marked as such. */
import { type DraftSection, draftBlock, levelOfChapters, maxTitleHeadings, plainLine } from '../assemble-document.ts';
import type { MarkupElement } from '../markup/markup.ts';
import { roleName, typesOf } from './elements.ts';
import type { PageBlock } from './inline.ts';
import { type IsItalicClass, italicTags } from './italics.ts';

/** `fallbackTitle` names a page without headings, as the table of contents does. */
export function sectionsOf(
  blocks: readonly PageBlock[],
  isItalicClass: IsItalicClass,
  fallbackTitle?: string,
): DraftSection[] {
  const chapterLevel = Math.max(2, levelOfChapters(blocks) ?? 0);
  const openings = chapterOpenings(blocks);
  const sections: DraftSection[] = [];
  let current: DraftSection | undefined;
  let titles: string[] = [];
  let onlyHeadings = true;
  for (const block of blocks) {
    const begins = (block.level > 0 && block.level <= chapterLevel) || openings.has(block);
    // "Chapter I" and "The Storm" in two headings are one chapter.
    if (current === undefined || (begins && !onlyHeadings)) {
      current = { title: undefined, blocks: [] };
      sections.push(current);
      titles = [];
      onlyHeadings = true;
    }
    if (block.level === 0) onlyHeadings = false;
    else if (onlyHeadings && titles.length < maxTitleHeadings && (begins || titles.length === 0)) {
      titles.push(plainLine(block.text));
      current.title = titles.join(': ');
    }
    current.blocks.push(draftBlock(block, italicTags(block, isItalicClass)));
  }
  const first = sections[0];
  if (first !== undefined && first.title === undefined && sections.length === 1) first.title = fallbackTitle;
  return sections;
}

/** First blocks of elements that say they are chapters, where the page has several of them. */
function chapterOpenings(blocks: readonly PageBlock[]): Set<PageBlock> {
  const openings = new Map<MarkupElement, PageBlock>();
  // Around a thousand paragraphs stand the same elements.
  const seen = new Set<MarkupElement>();
  for (const block of blocks) {
    for (let at: MarkupElement | undefined = block.container; at !== undefined && !seen.has(at); at = at.parent) {
      seen.add(at);
      if (isChapter(at)) openings.set(at, block);
    }
  }
  return openings.size < 2 ? new Set() : new Set(openings.values());
}

const containers = new Set(['section', 'div', 'article']);

function isChapter(element: MarkupElement): boolean {
  if (!containers.has(roleName(element))) return false;
  const types = [...typesOf(element), ...(element.attributes.class ?? '').split(/\s+/)];
  return types.some((type) => /^(?:doc-)?(?:chapter|prologue|epilogue|part)$/i.test(type));
}
