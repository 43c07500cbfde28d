/** Writes an EPUB with its text translated: pages, table of contents and metadata; all other parts are copied. */

import { AppError } from '../../errors.ts';
import { rewriteArchive } from '../archive/archive-writer.ts';
import { isLimited } from '../assemble-document.ts';
import { type Block, blocksOf, repairWarnings, type WriteOptions, type Writer } from '../document.ts';
import { encodeXml } from '../encoding/xml-encoding.ts';
import { turnCss, turnsAround } from '../html/css.ts';
import { LabelIndex, labelTranslator } from '../html/labels.ts';
import type { Page } from '../html/page.ts';
import { writePage } from '../html/write-page.ts';
import { textOf } from '../markup/markup.ts';
import { editionIdentifier, uniqueIdentifier } from './edition.ts';
import { type EpubTexts, pageLooks } from './epub-texts.ts';
import { remixFonts } from './obfuscated-fonts.ts';
import { bookPages, pageBlockIndexes } from './open-page.ts';
import { findOpeningRange } from './opening-range.ts';
import { type EpubPackage, openEpub, stylesOf } from './package.ts';
import { writeNav } from './write-nav.ts';
import { writeNcx } from './write-ncx.ts';
import { writeOpf } from './write-opf.ts';

export const writeEpub: Writer = (bytes, document, translations, options) => {
  const epub = openEpub(bytes);
  const { archive, items, nav, ncx, opfPath } = epub;
  const blocks = blocksOf(document);
  const range = isLimited(document) ? findOpeningRange(epub, blocks) : undefined;
  const labels = new LabelIndex();
  for (const block of blocks) labels.add(block);
  const fonts = translations.size > 0 && options.edition !== undefined ? remixedFonts(epub, options) : undefined;
  const texts: EpubTexts = {
    options,
    dialect: epub.version === 3 ? 'xhtml5' : 'xhtml11',
    labels,
    blocks: new Map(blocks.map((block) => [block.id, block])),
    translations,
    translateLabel: labelTranslator(labels, translations, options.variant),
    // A font may be unable to follow the identifier: a book must stay readable before it is unique.
    hasOwnIdentity: fonts !== undefined,
    styles: stylesOf(epub),
    range,
  };
  const replace = new Map<string, Uint8Array | null>(fonts);
  let next = 0;
  let repairs = 0;
  for (const { item, page } of bookPages(epub)) {
    if (range?.dropped.has(item.path)) break;
    const { ids, after } = pageBlockIndexes(page, blocks, next);
    const cut = range?.cut?.path === item.path ? range.cut : undefined;
    assertSame(page, blocks, ids, cut?.index);
    const written = writePage(page, {
      ...options,
      ...pageLooks(page, texts),
      translationOf: (index) => translations.get(`b${(ids[index] ?? 0) + 1}`),
      cut,
      isDeadLink: range && ((href) => range.isDead(item.path, href)),
    });
    replace.set(item.path, encodeXml(written.text));
    repairs += written.repairs;
    next = after;
  }
  for (const path of [...(range?.dropped ?? []), ...(range?.droppedResources ?? [])]) replace.set(path, null);
  if (nav !== undefined) replace.set(nav.path, encodeXml(writeNav(epub, nav.path, texts)));
  if (ncx !== undefined) replace.set(ncx.path, encodeXml(writeNcx(epub, ncx.path, texts)));
  replace.set(opfPath, encodeXml(writeOpf(epub, texts)));
  if (turnsAround(options) && translations.size > 0)
    for (const { mediaType, path } of items.values()) {
      if (!/css$/.test(mediaType) || replace.has(path)) continue;
      const css = Buffer.from(archive.read(path) ?? []).toString('utf8');
      if (turnCss(css) !== css) replace.set(path, Buffer.from(turnCss(css)));
    }
  // A signature of the old text would only say that the book was changed.
  replace.set('META-INF/signatures.xml', null);
  return {
    bytes: rewriteArchive(archive, {
      replace,
      first: { name: 'mimetype', content: Buffer.from('application/epub+zip') },
    }),
    extension: 'epub',
    mediaType: 'application/epub+zip',
    warnings: repairWarnings(repairs),
  };
};

function remixedFonts(epub: EpubPackage, options: WriteOptions): Map<string, Uint8Array> | undefined {
  const original = textOf(uniqueIdentifier(epub) ?? epub.opf.root).trim();
  return remixFonts(epub.archive, original, editionIdentifier(original, options));
}

/** The translation must never be put into another book than the one it was made from. */
function assertSame(
  page: Page,
  blocks: readonly Block[],
  indexes: readonly number[],
  cutIndex: number | undefined,
): void {
  const whole = cutIndex === undefined ? page.blocks : page.blocks.slice(0, Math.max(0, cutIndex));
  if (whole.some((block, index) => blocks[indexes[index] ?? -1]?.text !== block.text))
    throw new AppError('INTERNAL', 'The document was not read from this source.');
}
