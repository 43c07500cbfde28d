/** The table of contents as names of pages: a chapter without a heading is called what the contents call it. */
import { labelText } from '../html/labels.ts';
import { childElements, elementsOf, type MarkupElement, textOf } from '../markup/markup.ts';
import { type EpubPackage, parsePart } from './package.ts';
import { type Reference, resolveReference } from './paths.ts';

/** Name by path of the page; the first entry that leads to a page names it. */
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
