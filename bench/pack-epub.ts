/** A small EPUB of the chapters given as markup, for measurements. */
import { createArchive, type NewEntry } from '../src/documents/archive/archive-writer.ts';

export function packEpub(chapters: readonly string[]): Uint8Array {
  const pages: NewEntry[] = chapters.map((body, i) => {
    const page = `<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>\n${body}\n</body></html>`;
    return { name: `c${i + 1}.xhtml`, content: Buffer.from(page) };
  });
  const items = pages.map(({ name }, i) => `<item id="i${i}" href="${name}" media-type="application/xhtml+xml"/>`);
  const refs = pages.map((_, i) => `<itemref idref="i${i}"/>`);
  const opf = `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Bench</dc:title><dc:language>en</dc:language></metadata><manifest>${items.join('')}</manifest><spine>${refs.join('')}</spine></package>`;
  const container =
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>';
  return createArchive([
    { name: 'mimetype', content: Buffer.from('application/epub+zip'), stored: true },
    { name: 'META-INF/container.xml', content: Buffer.from(container) },
    { name: 'b.opf', content: Buffer.from(opf) },
    ...pages,
  ]);
}
