/** An EPUB of a few lines, around the one construct that a test is about. */
import { createArchive } from '../../src/documents/archive/archive-writer.ts';

export interface SmallEpub {
  /** Bodies of XHTML pages, or whole documents when they begin with `<`-something that is no block, by file name. */
  pages: Readonly<Record<string, string>>;
  /** Content of `<nav epub:type="toc">`. */
  nav?: string;
  /** Further elements of the metadata. */
  metadata?: string;
  /** Names in the manifest that differ from those in the archive. */
  hrefs?: Readonly<Record<string, string>>;
  entries?: Readonly<Record<string, Uint8Array>>;
  withoutMimetype?: boolean;
}

export function smallEpub(book: SmallEpub): Uint8Array {
  const names = Object.keys(book.pages);
  const typeOf = (name: string) => (name.endsWith('.svg') ? 'image/svg+xml' : 'application/xhtml+xml');
  const items = names.map(
    (name, i) => `<item id="p${i}" href="${book.hrefs?.[name] ?? name}" media-type="${typeOf(name)}"/>`,
  );
  const sheets = Object.keys(book.entries ?? {}).filter((name) => name.endsWith('.css'));
  items.push(...sheets.map((name, i) => `<item id="s${i}" href="${name}" media-type="text/css"/>`));
  const opf = `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="uid"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="uid">urn:isbn:9780000000002</dc:identifier><dc:title id="t">Night Ferry</dc:title><dc:language>en</dc:language><meta property="dcterms:modified">2020-01-01T00:00:00Z</meta>${book.metadata ?? ''}</metadata><manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>${items.join('')}</manifest><spine>${names.map((_, i) => `<itemref idref="p${i}"/>`).join('')}</spine></package>`;
  const toc = book.nav ?? `<ol><li><a href="${names[0]}">Start here</a></li></ol>`;
  const files: Record<string, string> = {
    'META-INF/container.xml':
      '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'book.opf': opf,
    'nav.xhtml': xhtml(`<nav epub:type="toc">${toc}</nav>`),
  };
  for (const [name, content] of Object.entries(book.pages))
    files[name] = /^<(?:html|svg|\?xml|!DOCTYPE)/i.test(content) ? content : xhtml(content);
  const mimetype = { name: 'mimetype', content: Buffer.from('application/epub+zip'), stored: true };
  return createArchive([
    ...(book.withoutMimetype ? [] : [mimetype]),
    ...Object.entries(files).map(([name, content]) => ({ name, content: Buffer.from(content) })),
    ...Object.entries(book.entries ?? {}).map(([name, content]) => ({ name, content })),
  ]);
}

function xhtml(body: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>Night Ferry</title></head><body>${body}</body></html>`;
}
