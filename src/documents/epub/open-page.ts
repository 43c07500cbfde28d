/** A page of a book: XHTML as it should be, or read as a browser would when it is not well formed. */
import type { Archive } from '../archive/archive.ts';
import { decodeXml } from '../encoding/xml-encoding.ts';
import { type Page, readPage } from '../html/page.ts';
import { parseHtml } from '../html/parse-html.ts';
import { isMalformedXml, parseXmlText } from '../markup/xml.ts';

export interface EpubPage extends Page {
  isMalformed: boolean;
}

/** @throws BAD_REQUEST with the ARCHIVE_ and XML_ reasons */
export function openPage(archive: Archive, path: string): EpubPage {
  const { text } = decodeXml(archive.read(path) ?? new Uint8Array(), path);
  try {
    return { ...readPage(parseXmlText(text, { part: path, htmlEntities: true })), isMalformed: false };
  } catch (error) {
    if (!isMalformedXml(error)) throw error;
    return { ...readPage(parseHtml(closeEmptyElements(text))), isMalformed: true };
  }
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
