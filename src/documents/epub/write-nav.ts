/** The navigation document, the table of contents of EPUB 3, in the new language. */
import { plainLine } from '../assemble-document.ts';
import type { PageBlock } from '../html/inline.ts';
import { type Page, readPage } from '../html/page.ts';
import { writePage } from '../html/write-page.ts';
import { Edits } from '../markup/edits.ts';
import { childElements, elementsOf, type MarkupElement } from '../markup/markup.ts';
import { type ContentsEntry, findToc, hasLife, pruneEntries, removeElement } from './contents.ts';
import { type EpubTexts, pageLooks } from './epub-texts.ts';
import type { OpeningRange } from './opening-range.ts';
import { type EpubPackage, parsePart } from './package.ts';
import { relativeReference } from './paths.ts';

export function writeNav(epub: EpubPackage, path: string, texts: EpubTexts): string {
  const page = readPage(parsePart(epub.archive, path), { readsHidden: true, part: path });
  const pruned = new Edits(page.tree.source);
  if (texts.range !== undefined) prune(page, path, pruned, texts.range);
  return writePage(page, {
    ...texts.options,
    ...pageLooks(page, texts),
    // The content model of a contents list has no place for a second line: both languages stand in one label.
    variant: 'translated',
    translationOf: (index) => labelOf(page.blocks[index] as PageBlock, texts),
    extraEdits: pruned,
  }).text;
}

function labelOf(block: PageBlock, texts: EpubTexts): string | undefined {
  const id = texts.labels.idOf(block.text);
  const translation = id === undefined ? undefined : texts.translations.get(id);
  if (id === undefined || translation === undefined || translation === block.text) return undefined;
  // The tags of a heading are not those of its label, unless the texts are the same with their tags.
  const isSame = texts.blocks.get(id)?.text === block.text;
  const plain = plainLine(translation);
  if (texts.options.variant === 'bilingual') return `${block.text} — ${plain}`;
  return isSame ? translation : plain;
}

function prune(page: Page, path: string, edits: Edits, range: OpeningRange): void {
  const toc = findToc(page.tree.root);
  for (const nav of elementsOf(page.tree.root)) {
    if (nav.name !== 'nav') continue;
    const entries = childElements(nav, 'ol').flatMap((list) => entriesOf(list, path, range));
    const first = entries[0];
    if (entries.some(hasLife)) {
      for (const heading of pruneEntries(entries, edits)) unlink(heading.element, edits);
      dropEmptyLists(entries, edits);
    } else if (nav === toc && first !== undefined) {
      const link = childElements(first.element, 'a')[0];
      if (link !== undefined && range.firstPath !== undefined) {
        edits.setAttribute(link, 'href', relativeReference(path, range.firstPath));
      }
      for (const list of childElements(first.element, 'ol')) removeElement(edits, list);
      for (const entry of entries.slice(1)) removeElement(edits, entry.element);
    } else if (first !== undefined) {
      removeElement(edits, nav);
    }
  }
}

function entriesOf(list: MarkupElement, path: string, range: OpeningRange): ContentsEntry[] {
  return childElements(list, 'li').map((element) => {
    const href = childElements(element, 'a')[0]?.attributes.href;
    return {
      element,
      isDead: href === undefined || range.isDead(path, href),
      children: childElements(element, 'ol').flatMap((inner) => entriesOf(inner, path, range)),
    };
  });
}

/** An entry that leads nowhere may stay as a heading when it is no link. */
function unlink(entry: MarkupElement, edits: Edits): void {
  const link = childElements(entry, 'a')[0];
  if (link === undefined) return;
  edits.replace(link.start, link.openEnd, '<span>');
  edits.replace(link.closeStart, link.end, '</span>');
}

/** A list below an entry that lost all of its own entries. */
function dropEmptyLists(entries: readonly ContentsEntry[], edits: Edits): void {
  for (const entry of entries) {
    if (!hasLife(entry)) continue;
    const alive = entry.children.some(hasLife);
    if (!alive) for (const list of childElements(entry.element, 'ol')) removeElement(edits, list);
    dropEmptyLists(entry.children, edits);
  }
}
