/** The sample novel as an EPUB 3: small, valid, and all ours. */
import { createArchive } from '../src/documents/archive/archive-writer.ts';

export interface SampleChapter {
  title: string;
  paragraphs: string[];
}

/** Chapters begin with `# Title`; paragraphs are separated by empty lines. */
export function readChapters(text: string): SampleChapter[] {
  return text
    .split(/^# /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...paragraphs] = part.trim().split(/\n\s*\n/);
      return { title: title.trim(), paragraphs };
    });
}

export function sampleEpub(book: {
  title: string;
  author: string;
  language: string;
  chapters: SampleChapter[];
}): Uint8Array {
  const pages = book.chapters.map((chapter, index) => ({
    id: `c${index + 1}`,
    title: chapter.title,
    html: page(book.language, chapter.title, [
      `<h1>${escapeXml(chapter.title)}</h1>`,
      ...chapter.paragraphs.map((text) => `<p>${escapeXml(text)}</p>`),
    ]),
  }));
  const list = pages.map(({ id, title }) => `<li><a href="${id}.xhtml">${escapeXml(title)}</a></li>`).join('');
  const nav = page(book.language, book.title, [
    `<nav xmlns:epub="http://www.idpf.org/2007/ops" epub:type="toc"><ol>${list}</ol></nav>`,
  ]);
  const bytes = (content: string) => Buffer.from(content, 'utf8');
  return createArchive([
    { name: 'mimetype', content: bytes('application/epub+zip'), stored: true },
    { name: 'META-INF/container.xml', content: bytes(container) },
    {
      name: 'OEBPS/book.opf',
      content: bytes(
        packageDocument(
          book,
          pages.map(({ id }) => id),
        ),
      ),
    },
    { name: 'OEBPS/nav.xhtml', content: bytes(nav) },
    ...pages.map(({ id, html }) => ({ name: `OEBPS/${id}.xhtml`, content: bytes(html) })),
  ]);
}

const container = `<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`;

function packageDocument(book: { title: string; author: string; language: string }, ids: string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="uid">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="uid">urn:uuid:0f3a1c52-7b0e-4c53-8f0e-6a5d1e2b9c40</dc:identifier><dc:title>${escapeXml(book.title)}</dc:title><dc:creator>${escapeXml(book.author)}</dc:creator><dc:language>${book.language}</dc:language><meta property="dcterms:modified">2026-01-01T00:00:00Z</meta></metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>${ids.map((id) => `<item id="${id}" href="${id}.xhtml" media-type="application/xhtml+xml"/>`).join('')}</manifest>
<spine>${ids.map((id) => `<itemref idref="${id}"/>`).join('')}</spine></package>`;
}

function page(language: string, title: string, body: string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="${language}" xml:lang="${language}"><head><title>${escapeXml(title)}</title></head>
<body>
${body.join('\n')}
</body></html>
`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char] ?? char);
}
