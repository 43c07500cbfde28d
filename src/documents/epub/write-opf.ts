/** The package document: language, title, direction, and what a limited book no longer holds. */
import { escapeText } from '../../escape.ts';
import { labelText } from '../html/labels.ts';
import { directionOf, isSameLanguage, isVerticalScript, languageOfElement } from '../html/language-marks.ts';
import { Edits } from '../markup/edits.ts';
import { childElements, elementAtPath, elementsOf, type MarkupElement, textOf } from '../markup/markup.ts';
import { packageLabels, removeElement } from './contents.ts';
import { editionTitle, writeEdition } from './edition.ts';
import type { EpubTexts } from './epub-texts.ts';
import type { OpeningRange } from './opening-range.ts';
import type { EpubPackage } from './package.ts';
import { resolveReference } from './paths.ts';

export function writeOpf(epub: EpubPackage, texts: EpubTexts): string {
  const { root, source } = epub.opf;
  const edits = new Edits(source);
  languageOfElement(root, edits, texts.options);
  for (const label of packageLabels(root)) writeLabel(epub, label, edits, texts);
  if (texts.hasOwnIdentity) writeEdition(epub, edits, texts.options);
  setLanguages(root, edits, texts);
  setProgression(epub, edits, texts);
  if (texts.range !== undefined) dropParts(epub, edits, texts.range);
  return edits.apply();
}

function writeLabel(epub: EpubPackage, label: MarkupElement, edits: Edits, texts: EpubTexts): void {
  const source = labelText(textOf(label));
  const translation = texts.translateLabel(source);
  const isTitle = label.name === 'dc:title';
  // Subtitles and the like follow the first title, which is the one that libraries list.
  const isMain = isTitle && label === packageLabels(epub.opf.root).find(({ name }) => name === 'dc:title');
  const shown = translation ?? source;
  const text = isMain && texts.hasOwnIdentity && shown !== '' ? editionTitle(shown, texts.options) : translation;
  if (text === undefined) return;
  edits.replace(label.openEnd, label.closeStart, escapeText(text));
  if (translation === undefined) return;
  languageOfElement(label, edits, texts.options);
  if (!isTitle) return;
  if (epub.version === 3 && label.attributes.dir === undefined && directionOf(texts.options.targetLang) === 'rtl')
    edits.setAttribute(label, 'dir', 'rtl');
  writeSortingTitle(epub, label, translation, edits);
}

/** What a library sorts the title by is in the same language as the title. */
function writeSortingTitle(epub: EpubPackage, title: MarkupElement, translation: string, edits: Edits): void {
  if (title.attributes['opf:file-as'] !== undefined) edits.setAttribute(title, 'opf:file-as', translation);
  for (const meta of elementsOf(epub.opf.root)) {
    const { refines, property, name } = meta.attributes;
    const isOwn = property === 'file-as' && title.attributes.id !== undefined && refines === `#${title.attributes.id}`;
    if (isOwn && meta.openEnd < meta.closeStart) edits.replace(meta.openEnd, meta.closeStart, escapeText(translation));
    else if (name === 'calibre:title_sort') edits.setAttribute(meta, 'content', translation);
  }
}

function setLanguages(root: MarkupElement, edits: Edits, texts: EpubTexts): void {
  const { sourceLang, targetLang, variant } = texts.options;
  const metadata = elementAtPath(root, 'metadata');
  if (metadata === undefined) return;
  const languages = [...elementsOf(metadata)].filter((element) => element.name === 'dc:language');
  const [first, ...others] = languages;
  const second = variant === 'bilingual' ? `<dc:language>${sourceLang}</dc:language>` : '';
  if (first === undefined) {
    const namespace = root.attributes['xmlns:dc'] === undefined && metadata.attributes['xmlns:dc'] === undefined;
    if (!namespace) edits.insert(metadata.closeStart, `<dc:language>${targetLang}</dc:language>${second}`);
    return;
  }
  if (first.openEnd < first.closeStart) edits.replace(first.openEnd, first.closeStart, targetLang);
  for (const other of others) {
    const value = textOf(other).trim();
    if (isSameLanguage(value, sourceLang) || isSameLanguage(value, targetLang)) removeElement(edits, other);
  }
  if (second !== '') edits.insert(first.end, second);
}

/** Pages turn from right to left in books of right-to-left scripts, and in vertical Chinese and Japanese. */
function setProgression(epub: EpubPackage, edits: Edits, texts: EpubTexts): void {
  const spine = elementAtPath(epub.opf.root, 'spine');
  if (spine === undefined || epub.version !== 3) return;
  const { sourceLang, targetLang } = texts.options;
  const declared = spine.attributes['page-progression-direction'];
  const direction = directionOf(targetLang);
  if (direction === 'rtl') edits.setAttribute(spine, 'page-progression-direction', 'rtl');
  else if (declared === 'rtl' && !(isVerticalScript(targetLang) && directionOf(sourceLang) === 'ltr')) {
    edits.setAttribute(spine, 'page-progression-direction', 'ltr');
  }
}

function dropParts(epub: EpubPackage, edits: Edits, range: OpeningRange): void {
  const isGone = (path: string) => range.dropped.has(path) || range.droppedResources.has(path);
  const gone = [...epub.items.values()].filter((item) => isGone(item.path));
  const goneIds = new Set(gone.map((item) => item.id));
  for (const item of gone) removeElement(edits, item.element);
  for (const { item, element } of epub.spine) {
    if (goneIds.has(item.id)) removeElement(edits, element);
  }
  for (const item of epub.items.values()) {
    if (!goneIds.has(item.id) && goneIds.has(item.element.attributes['media-overlay'] ?? '')) {
      edits.setAttribute(item.element, 'media-overlay', undefined);
    }
  }
  for (const element of elementsOf(epub.opf.root)) {
    const refined = element.attributes.refines?.replace(/^#/, '');
    const isNarration = element.name === 'meta' && element.attributes.property?.startsWith('media:');
    if ((refined !== undefined && goneIds.has(refined)) || isNarration) removeElement(edits, element);
  }
  const guide = elementAtPath(epub.opf.root, 'guide');
  if (guide !== undefined) pruneGuide(guide, epub.opfPath, edits, range);
}

function pruneGuide(guide: MarkupElement, opfPath: string, edits: Edits, range: OpeningRange): void {
  const references = childElements(guide, 'reference');
  const dead = references.filter((reference) => {
    const href = reference.attributes.href;
    return href !== undefined && resolveReference(opfPath, href) !== undefined && range.isDead(opfPath, href);
  });
  if (dead.length === references.length) removeElement(edits, guide);
  else for (const reference of dead) removeElement(edits, reference);
}
