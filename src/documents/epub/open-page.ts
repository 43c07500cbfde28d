/** The pages of a book: XHTML as it should be, or read as a browser would and made XHTML when it is not well formed. */
import type { Archive } from '../archive/archive.ts';
import type { Block } from '../document.ts';
import { decodeXml } from '../encoding/xml-encoding.ts';
import { type Page, readPage } from '../html/page.ts';
import { parseAsXhtml } from '../html/parse-html.ts';
import { LicenceFrame } from '../licence-text.ts';
import type { MarkupTree } from '../markup/markup.ts';
import { isMalformedXml, parseXmlText } from '../markup/xml.ts';
import type { EpubPackage, ManifestItem } from './package.ts';

export interface EpubPage extends Page {
  isMalformed: boolean;
}

/**
 * All pages in reading order, each opened when it is asked for. Reader and writers go through here, so that they agree on
 * what belongs to the book and what to the frame of its distributor.
 * @throws BAD_REQUEST with the ARCHIVE_ and XML_ reasons
 */
export function* bookPages(epub: EpubPackage): Generator<{ item: ManifestItem; page: EpubPage }> {
  const licence = new LicenceFrame();
  for (const item of epub.pages) yield { item, page: openPage(epub.archive, item.path, licence) };
}

/**
 * Where the blocks of a page stand among those of the book from `next` on. Labels of the contents stand between them,
 * each before the text that it leads to.
 */
export function pageBlockIndexes(page: Page, blocks: readonly Block[], next: number): { ids: number[]; after: number } {
  let at = next;
  const ids = page.blocks.map(() => {
    while (blocks[at]?.kind === 'label') at++;
    return at++;
  });
  return { ids, after: at };
}

function openPage(archive: Archive, path: string, licence: LicenceFrame): EpubPage {
  const { text } = decodeXml(archive.read(path) ?? new Uint8Array(), path);
  const options = { licence, part: path };
  let tree: MarkupTree;
  try {
    tree = parseXmlText(text, { part: path, htmlEntities: true });
  } catch (error) {
    if (!isMalformedXml(error)) throw error;
    return { ...readPage(parseAsXhtml(closeEmptyElements(text)), options), isMalformed: true };
  }
  return { ...readPage(tree, options), isMalformed: false };
}

/** `<title/>` is complete in XML, but in HTML it opens a title that swallows the page. */
function closeEmptyElements(text: string): string {
  const pattern =
    /<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)([a-z][\w:-]*)(\s[^<>]*?)?\/>/gi;
  return text.replace(
    pattern,
    (_, name: string, attributes: string | undefined) => `<${name}${attributes ?? ''}></${name}>`,
  );
}
