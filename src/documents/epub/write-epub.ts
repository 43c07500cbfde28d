/** Writes an EPUB with its text translated: pages, table of contents and metadata; all other parts are copied. */

import { AppError } from '../../errors.ts';
import { lazily } from '../../platform/lazily.ts';
import { type PackedContent, packContent, rewriteArchive } from '../archive/archive-writer.ts';
import { isLimited } from '../assemble-document.ts';
import {
  type Block,
  blocksOf,
  type Document,
  repairWarnings,
  type Translations,
  type WriteOptions,
  type WriteResult,
  type Writer,
} from '../document.ts';
import { encodeXml } from '../encoding/xml-encoding.ts';
import { adaptingCss } from '../html/adapting-css.ts';
import { labelTranslator } from '../html/label-translator.ts';
import { LabelIndex } from '../html/labels.ts';
import type { Page } from '../html/page.ts';
import { turnCss, turnsAround } from '../html/turn-alignment.ts';
import { type PageWriting, writePage } from '../html/write-page.ts';
import { textOf } from '../markup/markup.ts';
import { editionIdentifier, uniqueIdentifier } from './edition.ts';
import type { EpubTexts } from './epub-texts.ts';
import { remixFonts } from './obfuscated-fonts.ts';
import { bookPages, pageBlockIndexes } from './open-page.ts';
import { findOpeningRange, type OpeningRange } from './opening-range.ts';
import { type EpubPackage, openEpub } from './package.ts';
import { stylesOf } from './styles.ts';
import { writeNav } from './write-nav.ts';
import { writeNcx } from './write-ncx.ts';
import { writeOpf } from './write-opf.ts';

/** One book for each of the options. Every page is parsed once for all of them: that is most of the work. */
export function writeEpubs(
  bytes: Uint8Array,
  document: Document,
  translations: Translations,
  options: readonly WriteOptions[],
): WriteResult[] {
  const epub = openEpub(bytes);
  const writings = options.map((each) => new EpubWriting(epub, document, translations, each));
  let first = 0;
  for (const { item, open } of bookPages(epub)) {
    const page = lazily(open);
    first = Math.max(first, ...writings.map((writing) => writing.takePage(item.path, first, page)));
  }
  return writings.map((writing) => ({
    bytes: rewriteArchive(epub.archive, {
      replace: writing.finish(),
      first: { name: 'mimetype', content: Buffer.from('application/epub+zip') },
    }),
    extension: 'epub',
    mediaType: 'application/epub+zip',
    warnings: repairWarnings(writing.repairs),
  }));
}

export const writeEpub: Writer = (bytes, document, translations, options) => {
  const [written] = writeEpubs(bytes, document, translations, [options]);
  if (written === undefined) throw new Error('no book was written');
  return written;
};

class EpubWriting {
  readonly #epub: EpubPackage;
  readonly #blocks: Block[];
  readonly #texts: EpubTexts;
  readonly #range: OpeningRange | undefined;
  readonly #styles: string;
  readonly #replaced = new Map<string, PackedContent | null>();
  /** By page: inline tags that could not be kept. */
  readonly #repairs = new Map<string, number>();

  constructor(epub: EpubPackage, document: Document, translations: Translations, options: WriteOptions) {
    this.#epub = epub;
    this.#blocks = blocksOf(document);
    this.#styles = stylesOf(epub);
    const labels = new LabelIndex();
    for (const block of this.#blocks) labels.add(block);
    this.#texts = {
      options,
      dialect: epub.version === 3 ? 'xhtml5' : 'xhtml11',
      labels,
      blocks: new Map(this.#blocks.map((block) => [block.id, block])),
      translations,
      translateLabel: labelTranslator(labels, translations, options.variant),
      hasOwnIdentity: translations.size > 0 && options.edition !== undefined && this.#takeFonts(options),
    };
    this.#range = isLimited(document) ? findOpeningRange(epub, this.#blocks) : undefined;
  }

  get repairs(): number {
    return [...this.#repairs.values()].reduce((sum, repairs) => sum + repairs, 0);
  }

  /** @param first blocks before the page @returns blocks up to its end */
  takePage(path: string, first: number, open: () => Page): number {
    if (this.#range?.dropped.has(path)) {
      this.#replaced.set(path, null);
      return first;
    }
    const page = open();
    const { ids, after } = pageBlockIndexes(page, this.#blocks, first);
    this.#put(path, this.#writePage(page, path, ids));
    return after;
  }

  /** All that is not a page. */
  finish(): Map<string, PackedContent | null> {
    const { archive, nav, ncx, opfPath } = this.#epub;
    for (const path of this.#range?.droppedResources ?? []) this.#replaced.set(path, null);
    if (nav !== undefined) this.#put(nav.path, writeNav(this.#epub, this.#texts, this.#styles, this.#range));
    if (ncx !== undefined) this.#put(ncx.path, writeNcx(this.#epub, this.#texts, this.#range));
    this.#put(opfPath, writeOpf(this.#epub, this.#texts, this.#range));
    if (turnsAround(this.#texts.options) && this.#texts.translations.size > 0) this.#turnStyles();
    // A signature of the old text would only say that the book was changed.
    if (archive.has('META-INF/signatures.xml')) this.#replaced.set('META-INF/signatures.xml', null);
    return this.#replaced;
  }

  /** False when a font could not follow the identifier: a book must stay readable before it is unique. */
  #takeFonts(options: WriteOptions): boolean {
    const original = textOf(uniqueIdentifier(this.#epub) ?? this.#epub.opf.root).trim();
    const fonts = remixFonts(this.#epub.archive, original, editionIdentifier(original, options));
    for (const [path, content] of fonts ?? []) this.#replaced.set(path, packContent(content));
    return fonts !== undefined;
  }

  #turnStyles(): void {
    for (const item of this.#epub.items.values()) {
      if (!/css$/.test(item.mediaType) || this.#replaced.has(item.path)) continue;
      const css = Buffer.from(this.#epub.archive.read(item.path) ?? []).toString('utf8');
      if (turnCss(css) !== css) this.#replaced.set(item.path, packContent(Buffer.from(turnCss(css))));
    }
  }

  #writePage(page: Page, path: string, indexes: readonly number[]): string {
    const { options, translations, translateLabel, dialect } = this.#texts;
    const cut = this.#range?.cut?.path === path ? this.#range.cut : undefined;
    this.#checkSame(page, indexes, cut?.index);
    const title = page.title === undefined ? undefined : translateLabel(textOf(page.title));
    const css = adaptingCss(this.#styles + page.tree.source, options);
    const range = this.#range;
    const writing: PageWriting = {
      ...options,
      dialect,
      translationOf: (index) => translations.get(`b${(indexes[index] ?? 0) + 1}`),
      ...(title === undefined ? {} : { title }),
      ...(cut === undefined ? {} : { cut }),
      ...(css === undefined ? {} : { head: `<style type="text/css">${css}</style>` }),
      ...(range === undefined ? {} : { isDeadLink: (href) => range.isDead(path, href) }),
    };
    const { text, repairs } = writePage(page, writing);
    this.#repairs.set(path, repairs);
    return text;
  }

  /** The translation must never be put into another book than the one it was made from. */
  #checkSame(page: Page, indexes: readonly number[], cutIndex: number | undefined): void {
    const whole = cutIndex === undefined ? page.blocks : page.blocks.slice(0, Math.max(0, cutIndex));
    if (whole.some((block, index) => this.#blocks[indexes[index] ?? -1]?.text !== block.text)) {
      throw new AppError('INTERNAL', 'The document was not read from this source.');
    }
  }

  #put(path: string, text: string): void {
    this.#replaced.set(path, packContent(encodeXml(text)));
  }
}
