/** The NCX, the table of contents of EPUB 2, in the new language. */
import { escapeText } from '../../escape.ts';
import { languageOfElement } from '../html/language-marks.ts';
import { Edits } from '../markup/edits.ts';
import { childElements, elementAtPath, elementsOf, type MarkupElement, textOf } from '../markup/markup.ts';
import { parseXmlText } from '../markup/xml.ts';
import { type ContentsEntry, hasLife, ncxLabels, pruneEntries, removeElement } from './contents.ts';
import { editionIdentifier, uniqueIdentifier } from './edition.ts';
import type { EpubTexts } from './epub-texts.ts';
import type { OpeningRange } from './opening-range.ts';
import { type EpubPackage, parsePart } from './package.ts';
import { relativeReference } from './paths.ts';

export function writeNcx(epub: EpubPackage, path: string, texts: EpubTexts): string {
  const tree = parsePart(epub.archive, path);
  const edits = new Edits(tree.source);
  for (const label of ncxLabels(tree.root)) {
    const translation = texts.translateLabel(textOf(label));
    if (translation !== undefined) edits.replace(label.openEnd, label.closeStart, escapeText(translation));
  }
  languageOfElement(tree.root, edits, texts.options);
  const original = uniqueIdentifier(epub);
  // The contents name the book that they belong to.
  if (texts.hasOwnIdentity && original !== undefined)
    for (const element of elementsOf(tree.root))
      if (element.name === 'meta' && element.attributes.name === 'dtb:uid')
        edits.setAttribute(element, 'content', editionIdentifier(textOf(original).trim(), texts.options));
  if (texts.range === undefined) return edits.apply();
  prune(tree.root, path, edits, texts.range);
  return renumber(edits.apply());
}

/** `playOrder` must count without gaps; entries that had the same number keep having the same. */
function renumber(source: string): string {
  const { root } = parseXmlText(source, { htmlEntities: true });
  const edits = new Edits(source);
  const points = [...elementsOf(root)].filter((element) => /^\d+$/.test(element.attributes.playOrder ?? ''));
  const numbers = points.map((point) => Number(point.attributes.playOrder));
  const ranks = new Map([...new Set(numbers)].sort((a, b) => a - b).map((number, i) => [number, i + 1]));
  for (const point of points) {
    edits.setAttribute(point, 'playOrder', String(ranks.get(Number(point.attributes.playOrder))));
  }
  return edits.apply();
}

function prune(root: MarkupElement, path: string, edits: Edits, range: OpeningRange): void {
  const map = elementAtPath(root, 'navMap');
  const entries = map === undefined ? [] : entriesOf(map, path, range);
  const first = entries[0];
  if (first !== undefined && !entries.some(hasLife)) {
    // The contents must have an entry: the first one leads to the first page.
    retarget(first.element, path, edits, range);
    for (const entry of [...first.children, ...entries.slice(1)]) removeElement(edits, entry.element);
  } else {
    for (const heading of pruneEntries(entries, edits)) retarget(heading.element, path, edits, range);
  }
  for (const element of elementsOf(root)) {
    if (!['pageList', 'navList'].includes(element.name)) continue;
    const targets = childElements(element).filter((child) => /^(pageTarget|navTarget)$/.test(child.name));
    const dead = targets.filter((target) => isDeadPoint(target, path, range));
    if (dead.length === targets.length) removeElement(edits, element);
    else for (const target of dead) removeElement(edits, target);
  }
}

function entriesOf(parent: MarkupElement, path: string, range: OpeningRange): ContentsEntry[] {
  return childElements(parent, 'navPoint').map((element) => ({
    element,
    isDead: isDeadPoint(element, path, range),
    children: entriesOf(element, path, range),
  }));
}

function isDeadPoint(point: MarkupElement, path: string, range: OpeningRange): boolean {
  const src = childElements(point, 'content')[0]?.attributes.src;
  return src !== undefined && range.isDead(path, src);
}

function retarget(point: MarkupElement, path: string, edits: Edits, range: OpeningRange): void {
  const content = childElements(point, 'content')[0];
  if (content === undefined || range.firstPath === undefined) return;
  edits.setAttribute(content, 'src', relativeReference(path, range.firstPath));
}
