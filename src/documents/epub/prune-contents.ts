/** Takes entries out of a table of contents whose chapters are gone. */
import type { Edits } from '../markup/edits.ts';
import type { MarkupElement } from '../markup/markup.ts';

export interface ContentsEntry {
  element: MarkupElement;
  isDead: boolean;
  children: ContentsEntry[];
}

/** Removes dead entries without living ones below; returns those that are dead but must stay as a heading of others. */
export function pruneEntries(entries: readonly ContentsEntry[], edits: Edits): ContentsEntry[] {
  const headings: ContentsEntry[] = [];
  for (const entry of entries) {
    if (!hasLife(entry)) {
      removeElement(edits, entry.element);
      continue;
    }
    if (entry.isDead) headings.push(entry);
    headings.push(...pruneEntries(entry.children, edits));
  }
  return headings;
}

export function hasLife(entry: ContentsEntry): boolean {
  return !entry.isDead || entry.children.some(hasLife);
}

/** Takes an element out together with the blank line it would leave. */
export function removeElement(edits: Edits, element: MarkupElement): void {
  let start = element.start;
  while (start > 0 && /\s/.test(edits.source[start - 1] ?? '')) start--;
  edits.remove(start, element.end);
}
