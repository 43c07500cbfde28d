/** Chapters of a page: a first or second level heading begins one. */
import { stripInlineTags } from '../../inline-tags.ts';
import type { DraftSection } from '../assemble-document.ts';
import type { PageBlock } from './page.ts';

/** `fallbackTitle` names a page without headings, as the table of contents does. */
export function sectionsOf(blocks: readonly PageBlock[], fallbackTitle?: string): DraftSection[] {
  const sections: DraftSection[] = [];
  let current: DraftSection | undefined;
  let titles: string[] = [];
  let onlyHeadings = true;
  for (const block of blocks) {
    const begins = block.level === 1 || block.level === 2;
    // "Chapter I" and "The Storm" in two headings are one chapter.
    if (current === undefined || (begins && !onlyHeadings)) {
      current = { title: undefined, blocks: [] };
      sections.push(current);
      titles = [];
      onlyHeadings = true;
    }
    if (block.level === 0) onlyHeadings = false;
    else if (onlyHeadings && (begins || titles.length === 0)) titles.push(plainTitle(block.text));
    current.title = titles.length === 0 ? undefined : titles.join(': ');
    current.blocks.push({ kind: block.kind, text: block.text, characters: block.characters });
  }
  const first = sections[0];
  if (first !== undefined && first.title === undefined && sections.length === 1) first.title = fallbackTitle;
  return sections;
}

export function plainTitle(text: string): string {
  return stripInlineTags(text).replace(/\s+/g, ' ').trim();
}
