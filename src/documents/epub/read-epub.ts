/** Reads an EPUB 2 or 3 as a document. */
import { assembleDocument, type DraftSection } from '../assemble-document.ts';
import { type Block, countCharacters, type DocumentWarning, type ReadOptions, type ReadResult } from '../document.ts';
import { LabelIndex, labelText, takeLabel } from '../html/labels.ts';
import { readPage } from '../html/page.ts';
import { isVerticalCss } from '../html/read-html.ts';
import { plainTitle, sectionsOf } from '../html/sections.ts';
import { elementsOf, localName, type MarkupElement, textOf } from '../markup/markup.ts';
import { SkipTally } from '../skip-tally.ts';
import { contentsTitles } from './contents.ts';
import { ncxLabels, packageLabels, skipOtherText } from './label-elements.ts';
import { openPage } from './open-page.ts';
import { type EpubPackage, openEpub, parsePart } from './package.ts';
import { stylesOf } from './styles.ts';

/** @throws BAD_REQUEST UNREADABLE_SOURCE, ENCRYPTED_SOURCE, and the ARCHIVE_ and XML_ reasons */
export function readEpub(bytes: Uint8Array, options: ReadOptions): ReadResult {
  const epub = openEpub(bytes);
  const reading = new EpubReading(epub);
  reading.readPages();
  reading.readLabels();
  const { root } = epub.opf;
  const images = [...epub.items.values()].filter((item) => item.mediaType.startsWith('image/'));
  const facts = {
    format: 'epub' as const,
    encoding: undefined,
    title: metadata(root, 'title')[0],
    author: metadata(root, 'creator').join(', ') || undefined,
    declaredLanguage: metadata(root, 'language')[0],
    writingMode: reading.isVertical || isVerticalCss(stylesOf(epub)) ? ('vertical' as const) : ('horizontal' as const),
    hasRuby: reading.hasRuby,
    imageCount: images.length,
    textCharacters: reading.textCharacters,
  };
  const document = assembleDocument(facts, reading.drafts, reading.skipped, options.charLimit);
  return { document, warnings: reading.warnings };
}

function metadata(root: MarkupElement, local: string): string[] {
  return [...elementsOf(root)]
    .filter((element) => element.name.startsWith('dc:') && localName(element.name) === local)
    .map((element) => labelText(textOf(element)))
    .filter((text) => text !== '');
}

class EpubReading {
  readonly drafts: DraftSection[] = [];
  readonly skipped = new SkipTally();
  readonly warnings: DocumentWarning[] = [];
  textCharacters = 0;
  hasRuby = false;
  isVertical = false;
  readonly #epub: EpubPackage;
  readonly #index = new LabelIndex();
  readonly #labels: Omit<Block, 'id'>[] = [];
  readonly #pageTitles: string[] = [];

  constructor(epub: EpubPackage) {
    this.#epub = epub;
  }

  readPages(): void {
    const titles = contentsTitles(this.#epub);
    for (const { item } of this.#epub.spine) {
      if (this.#epub.archive.has(item.path)) continue;
      const message = `The page ${item.path} is named in the reading order but is not in the file.`;
      this.warnings.push({ code: 'MISSING_PAGE', message });
    }
    for (const item of this.#epub.pages) {
      const page = openPage(this.#epub.archive, item.path);
      if (page.isMalformed) {
        const message = `The page ${item.path} is not well-formed XHTML; it was read as HTML.`;
        this.warnings.push({ code: 'MALFORMED_XHTML', message });
      }
      this.textCharacters += page.textCharacters;
      this.skipped.addAll(page.skipped);
      this.hasRuby ||= page.hasRuby;
      this.isVertical ||= isVerticalCss(page.tree.source);
      if (page.title !== undefined) this.#pageTitles.push(textOf(page.title));
      for (const draft of sectionsOf(page.blocks, titles.get(item.path))) this.drafts.push(draft);
      for (const block of page.blocks) this.#index.add({ id: '', kind: block.kind, text: block.text });
    }
  }

  readLabels(): void {
    const { archive, opf, nav, ncx } = this.#epub;
    this.#takeElements(opf.root, packageLabels(opf.root));
    if (nav !== undefined) this.#takeNav(nav.path);
    if (ncx !== undefined) {
      const { root } = parsePart(archive, ncx.path);
      this.#takeElements(root, ncxLabels(root));
    }
    for (const title of this.#pageTitles) this.#takePageTitle(title);
    if (this.#labels.length > 0) this.drafts.push({ title: undefined, blocks: this.#labels });
  }

  #takeElements(root: MarkupElement, elements: readonly MarkupElement[]): void {
    this.textCharacters += countCharacters(textOf(root));
    skipOtherText(root, elements, this.skipped);
    for (const element of elements) {
      const label = takeLabel(textOf(element), this.#index, this.skipped);
      if (label !== undefined) this.#labels.push(label);
    }
  }

  #takeNav(path: string): void {
    const page = readPage(parsePart(this.#epub.archive, path));
    this.textCharacters += page.textCharacters;
    this.skipped.addAll(page.skipped);
    if (page.title !== undefined) this.#pageTitles.push(textOf(page.title));
    for (const { text, characters } of page.blocks) {
      if (this.#index.has(text)) {
        this.skipped.add('repeats-heading', characters);
        continue;
      }
      this.#labels.push({ kind: 'label', text, characters });
      this.#index.add({ id: '', kind: 'label', text });
    }
  }

  /** A page title that repeats nothing is a file name or the like: no reader shows it. */
  #takePageTitle(raw: string): void {
    const text = plainTitle(raw);
    this.skipped.add('whitespace', countCharacters(raw) - countCharacters(text));
    this.skipped.add(this.#index.has(text) ? 'repeats-heading' : 'metadata', countCharacters(text));
  }
}
