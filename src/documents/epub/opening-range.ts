/** Which parts of a book belong to its opening range when a character limit ends it early. */
import type { Block } from '../document.ts';
import { keptIds } from '../html/kept-ids.ts';
import type { Page } from '../html/page.ts';
import { elementsOf, type MarkupElement } from '../markup/markup.ts';
import { bookPages, pageBlockIndexes } from './open-page.ts';
import type { EpubPackage, ManifestItem } from './package.ts';
import { resolveReference } from './paths.ts';

export interface OpeningRange {
  /** Where the text ends inside a page; undefined when it ends with a page. */
  cut: { path: string; index: number; text: string } | undefined;
  /** Pages after the end. */
  dropped: ReadonlySet<string>;
  /** Pictures, sounds and narration that only the dropped pages used. */
  droppedResources: ReadonlySet<string>;
  /** True for a link that leads to something that is gone. */
  isDead(base: string, href: string): boolean;
  /** First page that is kept, for contents that would otherwise be empty. */
  firstPath: string | undefined;
}

export function findOpeningRange(epub: EpubPackage, blocks: readonly Block[]): OpeningRange {
  const idsByPath = new Map<string, Set<string>>();
  const used = new Set<string>();
  let cut: OpeningRange['cut'];
  let next = 0;
  for (const { item, page } of bookPages(epub)) {
    const { ids, after } = pageBlockIndexes(page, blocks, next);
    const kept = ids.flatMap((index) => blocks[index] ?? []);
    const text = kept.at(-1)?.text ?? '';
    const isShort = kept.length < page.blocks.length || (kept.length > 0 && text !== page.blocks.at(-1)?.text);
    if (isShort) cut = { path: item.path, index: kept.length - 1, text };
    idsByPath.set(item.path, keptIds(page, cut));
    collectResources(epub, page, item.path, cut?.index, used);
    next = after;
    if (isShort || (page.blocks.length > 0 && next >= blocks.length)) break;
  }
  const dropped = new Set(epub.pages.map(({ path }) => path).filter((path) => !idsByPath.has(path)));
  const droppedResources = unusedResources(epub, used);
  const isDead = (base: string, href: string): boolean => {
    const target = resolveReference(base, href);
    if (target === undefined) return false;
    const path = epub.entryAt(target.path);
    if (dropped.has(path) || droppedResources.has(path)) return true;
    const ids = idsByPath.get(path);
    return ids !== undefined && target.fragment !== undefined && target.fragment !== '' && !ids.has(target.fragment);
  };
  return { cut, dropped, droppedResources, isDead, firstPath: epub.pages[0]?.path };
}

function collectResources(
  epub: EpubPackage,
  page: Page,
  path: string,
  lastBlock: number | undefined,
  used: Set<string>,
): void {
  const end = lastBlock === undefined ? Number.POSITIVE_INFINITY : (page.blocks[lastBlock]?.runEnd ?? 0);
  for (const { start, attributes } of elementsOf(page.tree.root)) {
    if (start >= end) continue;
    for (const name of ['src', 'href', 'xlink:href', 'poster', 'data', 'altimg'])
      addTarget(epub, path, attributes[name], used);
    for (const candidate of attributes.srcset?.split(',') ?? [])
      addTarget(epub, path, candidate.trim().split(/\s/)[0], used);
    addUrls(epub, path, attributes.style ?? '', used);
  }
  for (const style of page.tree.source.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/gi))
    addUrls(epub, path, style[1] ?? '', used);
}

/** Media the manifest lists and nothing that is kept refers to. */
function unusedResources(epub: EpubPackage, used: Set<string>): Set<string> {
  const items = [...epub.items.values()];
  const isMedia = (item: ManifestItem) => /^(image|audio|video)\//.test(item.mediaType);
  const keeps = (item: ManifestItem) => !isMedia(item) || used.has(item.path) || isCover(epub, item);
  // Style sheets and drawings refer to pictures themselves; two rounds follow a drawing inside a drawing.
  for (let round = 0; round < 2; round++) {
    for (const item of items) {
      if (!keeps(item) || !/css|svg/.test(item.mediaType)) continue;
      const text = Buffer.from(epub.archive.read(item.path) ?? []).toString('utf8');
      addUrls(epub, item.path, text, used);
      for (const match of text.matchAll(/(?:href|src)\s*=\s*["']([^"']+)/g)) addTarget(epub, item.path, match[1], used);
    }
  }
  const isNarration = (item: ManifestItem) => item.mediaType === 'application/smil+xml';
  return new Set(items.filter((item) => !keeps(item) || isNarration(item)).map((item) => item.path));
}

function isCover(epub: EpubPackage, item: ManifestItem): boolean {
  const isNamed = ({ name, attributes }: MarkupElement) =>
    (name.endsWith('meta') && attributes.name === 'cover' && attributes.content === item.id) ||
    attributes.fallback === item.id;
  return item.properties.includes('cover-image') || elementsOf(epub.opf.root).some(isNamed);
}

function addUrls(epub: EpubPackage, base: string, css: string, used: Set<string>): void {
  for (const match of css.matchAll(/url\(\s*["']?([^"')]+)/gi)) addTarget(epub, base, match[1], used);
}

function addTarget(epub: EpubPackage, base: string, href: string | undefined, used: Set<string>): void {
  const target = href === undefined ? undefined : resolveReference(base, href);
  if (target !== undefined) used.add(epub.entryAt(target.path));
}
