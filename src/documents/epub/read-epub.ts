/** Reads an EPUB 2 or 3 as a document. */
import { assembleDocument, type DraftSection, plainLine } from '../assemble-document.ts';
import { type Block, countCharacters, type DocumentWarning, type ReadOptions, type ReadResult } from '../document.ts';
import { italicClasses } from '../html/italics.ts';
import { LabelIndex, labelText, takeLabel } from '../html/labels.ts';
import { type Page, readPage } from '../html/page.ts';
import { innerCss, isVerticalCss } from '../html/read-html.ts';
import { sectionsOf } from '../html/sections.ts';
import { elementsOf, type MarkupElement, textOf } from '../markup/markup.ts';
import { SkipTally } from '../skip-tally.ts';
import { contentsTarget, contentsTitles, ncxLabels, ncxTarget, packageLabels, skipOtherText } from './contents.ts';
import { bookPages } from './open-page.ts';
import { type EpubPackage, openEpub, parsePart, stylesOf } from './package.ts';
import type { Reference } from './paths.ts';

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
    title: metadata(root, 'dc:title')[0],
    author: metadata(root, 'dc:creator').join(', ') || undefined,
    declaredLanguage: metadata(root, 'dc:language')[0],
    writingMode: reading.isVertical ? ('vertical' as const) : ('horizontal' as const),
    hasRuby: reading.hasRuby,
    imageCount: images.length,
    textCharacters: reading.textCharacters,
  };
  const document = assembleDocument(facts, reading.drafts, reading.skipped, options.charLimit);
  return { document, warnings: reading.warnings };
}

function metadata(root: MarkupElement, name: `dc:${string}`): string[] {
  return [...elementsOf(root)]
    .filter((element) => element.name === name)
    .map((element) => labelText(textOf(element)))
    .filter((text) => text !== '');
}

interface ReadPage {
  drafts: DraftSection[];
  /** By id: how many blocks of the page come before it. */
  anchors: ReadonlyMap<string, number>;
  labels: { at: number; label: Omit<Block, 'id'> }[];
}

function anchorsOf(page: Page): Map<string, number> {
  const anchors = new Map<string, number>();
  let before = 0;
  for (const { start, attributes } of elementsOf(page.tree.root)) {
    const id = attributes.id ?? attributes['xml:id'];
    if (id === undefined) continue;
    while (before < page.blocks.length && (page.blocks[before]?.runStart ?? 0) < start) before++;
    // An id on a tag inside the first words of a block leads to that block.
    const isInside = before > 0 && (page.blocks[before - 1]?.runEnd ?? 0) > start;
    anchors.set(id, isInside ? before - 1 : before);
  }
  return anchors;
}

function withLabels({ drafts, labels }: ReadPage): DraftSection[] {
  if (labels.length === 0) return drafts;
  if (drafts.length === 0) return [{ title: undefined, blocks: labels.map(({ label }) => label) }];
  let number = 0;
  const sections = drafts.map((draft) => {
    const blocks = draft.blocks.flatMap((block) => {
      const leading = labels.filter(({ at }) => at === number).map(({ label }) => label);
      number++;
      return [...leading, block];
    });
    return { title: draft.title, blocks };
  });
  // An anchor after the last words.
  sections.at(-1)?.blocks.push(...labels.filter(({ at }) => at >= number).map(({ label }) => label));
  return sections;
}

/** The title of the book or the name of a cover is no chapter. Labels alone belong to the next text, or to the last one. */
function withoutLabelSections(drafts: readonly DraftSection[]): DraftSection[] {
  const sections: DraftSection[] = [];
  let waiting: DraftSection['blocks'] = [];
  for (const { title, blocks } of drafts) {
    if (blocks.every(({ kind }) => kind === 'label')) waiting.push(...blocks);
    else {
      sections.push({ title, blocks: waiting.length === 0 ? blocks : [...waiting, ...blocks] });
      waiting = [];
    }
  }
  const last = sections.at(-1);
  if (last === undefined) return waiting.length === 0 ? [] : [{ title: undefined, blocks: waiting }];
  last.blocks.push(...waiting);
  return sections;
}

class EpubReading {
  readonly skipped = new SkipTally();
  readonly warnings: DocumentWarning[] = [];
  textCharacters = 0;
  hasRuby = false;
  isVertical: boolean;
  readonly #epub: EpubPackage;
  /** Classes of the book's style sheets. */
  readonly #italic: ReadonlySet<string>;
  readonly #index = new LabelIndex();
  readonly #pages = new Map<string, ReadPage>();
  readonly #labels: Omit<Block, 'id'>[] = [];
  readonly #pageTitles: string[] = [];

  constructor(epub: EpubPackage) {
    this.#epub = epub;
    const css = stylesOf(epub);
    this.#italic = italicClasses(css);
    this.isVertical = isVerticalCss(css);
  }

  /** The pages, each with the labels that lead to it, then the labels that lead to none. */
  get drafts(): DraftSection[] {
    const drafts = [...this.#pages.values()].flatMap(withLabels);
    return withoutLabelSections([...drafts, { title: undefined, blocks: this.#labels }]);
  }

  readPages(): void {
    const titles = contentsTitles(this.#epub);
    for (const { item } of this.#epub.spine) {
      if (this.#epub.archive.has(item.path)) continue;
      const message = `The page ${item.path} is named in the reading order but is not in the file.`;
      this.warnings.push({ code: 'MISSING_PAGE', message });
    }
    for (const { item, page } of bookPages(this.#epub)) {
      if (page.isMalformed) {
        const message = `The page ${item.path} is not well-formed XHTML; it was read as HTML and put right.`;
        this.warnings.push({ code: 'MALFORMED_XHTML', message });
      }
      this.textCharacters += page.textCharacters;
      this.skipped.addAll(page.skipped);
      this.hasRuby ||= page.hasRuby;
      this.isVertical ||= isVerticalCss(page.tree.source);
      if (page.title !== undefined) this.#pageTitles.push(textOf(page.title));
      const own = italicClasses(innerCss(page));
      const isItalicClass = (name: string) => this.#italic.has(name) || own.has(name);
      this.#pages.set(item.path, {
        drafts: sectionsOf(page.blocks, isItalicClass, titles.get(item.path)),
        anchors: anchorsOf(page),
        labels: [],
      });
      for (const block of page.blocks) this.#index.add({ id: '', kind: block.kind, text: block.text });
    }
  }

  readLabels(): void {
    const { archive, opf, nav, ncx } = this.#epub;
    this.#takeElements(opf.root, packageLabels(opf.root), () => undefined);
    if (nav !== undefined) this.#takeNav(nav.path);
    if (ncx !== undefined) {
      const { root } = parsePart(archive, ncx.path);
      this.#takeElements(root, ncxLabels(root), (label) => contentsTarget(this.#epub, ncx.path, ncxTarget(label)));
    }
    for (const title of this.#pageTitles) this.#takePageTitle(title);
  }

  #takeElements(
    root: MarkupElement,
    elements: readonly MarkupElement[],
    targetOf: (element: MarkupElement) => Reference | undefined,
  ): void {
    this.textCharacters += countCharacters(textOf(root));
    skipOtherText(root, elements, this.skipped);
    for (const element of elements) {
      const label = takeLabel(textOf(element), this.#index, this.skipped);
      if (label !== undefined) this.#place(label, targetOf(element));
    }
  }

  /** A preview needs the labels of its own chapters, so a label stands before the text that it leads to. */
  #place(label: Omit<Block, 'id'>, target: Reference | undefined): void {
    const page = target === undefined ? undefined : this.#pages.get(target.path);
    if (page === undefined) this.#labels.push(label);
    else page.labels.push({ at: page.anchors.get(target?.fragment ?? '') ?? 0, label });
  }

  #takeNav(path: string): void {
    const page = readPage(parsePart(this.#epub.archive, path), { readsHidden: true, part: path });
    this.textCharacters += page.textCharacters;
    this.skipped.addAll(page.skipped);
    if (page.title !== undefined) this.#pageTitles.push(textOf(page.title));
    for (const { text, characters, shells } of page.blocks) {
      if (this.#index.has(text)) {
        this.skipped.add('repeats-heading', characters);
        continue;
      }
      const link = shells.find((shell) => shell.name === 'a');
      this.#place({ kind: 'label', text, characters }, contentsTarget(this.#epub, path, link?.attributes.href));
      this.#index.add({ id: '', kind: 'label', text });
    }
  }

  /** A page title that repeats nothing is a file name or the like: no reader shows it. */
  #takePageTitle(raw: string): void {
    const text = plainLine(raw);
    this.skipped.add('whitespace', countCharacters(raw) - countCharacters(text));
    this.skipped.add(this.#index.has(text) ? 'repeats-heading' : 'metadata', countCharacters(text));
  }
}
