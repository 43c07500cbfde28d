/** The table of contents: what it calls the pages, its elements that readers see, and how entries go whose chapters are gone. */

import { countCharacters } from '../document.ts';
import { labelText } from '../html/labels.ts';
import type { Edits } from '../markup/edits.ts';
import { childElements, elementsOf, type MarkupElement, textOf } from '../markup/markup.ts';
import type { SkipTally } from '../skip-tally.ts';
import { type EpubPackage, parsePart } from './package.ts';
import { type Reference, resolveReference } from './paths.ts';

/** Name by path of the page, for a chapter without a heading; the first entry that leads to a page names it. */
export function contentsTitles(epub: EpubPackage): Map<string, string> {
  const titles = new Map<string, string>();
  const add = (base: string, href: string | undefined, label: string) => {
    const path = contentsTarget(epub, base, href)?.path;
    if (path !== undefined && label !== '' && !titles.has(path)) titles.set(path, label);
  };
  if (epub.nav !== undefined) {
    const { root } = parsePart(epub.archive, epub.nav.path);
    const toc = findToc(root);
    for (const element of toc === undefined ? [] : elementsOf(toc)) {
      if (element.name === 'a') add(epub.nav.path, element.attributes.href, labelText(textOf(element)));
    }
  } else if (epub.ncx !== undefined) {
    const { root } = parsePart(epub.archive, epub.ncx.path);
    for (const point of elementsOf(root)) {
      if (point.name !== 'navPoint') continue;
      const [label, content] = [childElements(point, 'navLabel')[0], childElements(point, 'content')[0]];
      if (label !== undefined) add(epub.ncx.path, content?.attributes.src, labelText(textOf(label)));
    }
  }
  return titles;
}

/** The page that an entry of the contents leads to, and the place in it. */
export function contentsTarget(epub: EpubPackage, base: string, href: string | undefined): Reference | undefined {
  const target = href === undefined ? undefined : resolveReference(base, href);
  return target === undefined ? undefined : { ...target, path: epub.entryAt(target.path) };
}

/** The `<nav>` that is the table of contents, as opposed to landmarks and page lists. */
export function findToc(root: MarkupElement): MarkupElement | undefined {
  const navs = [...elementsOf(root)].filter((element) => element.name === 'nav');
  return navs.find(({ attributes }) => attributes['epub:type']?.split(/\s+/).includes('toc')) ?? navs[0];
}

/** `dc:title`, and `dc:description` unless it is markup in disguise. */
export function packageLabels(root: MarkupElement): MarkupElement[] {
  return [...elementsOf(root)].filter((element) => {
    const { name } = element;
    return name === 'dc:title' || (name === 'dc:description' && !/[<>]|\n\s*\n/.test(textOf(element)));
  });
}

/** Labels of chapters and the title; not the author. */
export function ncxLabels(root: MarkupElement): MarkupElement[] {
  return [...elementsOf(root)].filter((element) => {
    const parent = element.parent?.name;
    return element.name === 'text' && (parent === 'navLabel' || parent === 'docTitle');
  });
}

/** Where the chapter of a label is; undefined for the title of the book. */
export function ncxTarget(label: MarkupElement): string | undefined {
  const point = label.parent?.parent;
  return point === undefined ? undefined : childElements(point, 'content')[0]?.attributes.src;
}

/** Accounts for all text outside the labels. */
export function skipOtherText(root: MarkupElement, labels: readonly MarkupElement[], skipped: SkipTally): void {
  const known = new Set(labels);
  const stack: MarkupElement[] = [root];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    if (known.has(element)) continue;
    for (const child of element.children) {
      if (child.kind === 'element') stack.push(child);
      else skipped.add(child.text.trim() === '' ? 'whitespace' : 'metadata', countCharacters(child.text));
    }
  }
}

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
