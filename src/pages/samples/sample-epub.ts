/** The sample novel as an EPUB 3: small, valid, and all ours. */
import { createArchive } from '../../documents/archive/archive-writer.ts';
import { escapeAttribute } from '../../escape.ts';

export interface SampleChapter {
  title: string;
  paragraphs: string[];
}

/**
 * Chapters begin with `# Title`; paragraphs are separated by empty lines. Lines after `> ` stay lines (letters, verse) and end with a backslash,
 * `*…*` is emphasis, `[^1]` refers to the note that begins with `[^1]:`.
 */
export function readChapters(text: string): SampleChapter[] {
  return text
    .split(/^# /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...paragraphs] = part.trim().split(/\n\s*\n/);
      return { title: title.trim(), paragraphs };
    });
}

export function sampleEpub(
  book: Record<'title' | 'author' | 'language', string> & { chapters: SampleChapter[] },
): Uint8Array {
  const pages = book.chapters.map((chapter, index) => ({
    id: `c${index + 1}`,
    title: chapter.title,
    html: page(book.language, chapter.title, [
      `<h1>${escapeAttribute(chapter.title)}</h1>`,
      ...chapter.paragraphs.map(paragraph),
    ]),
  }));
  const list = pages.map(({ id, title }) => `<li><a href="${id}.xhtml">${escapeAttribute(title)}</a></li>`).join('');
  const nav = page(book.language, book.title, [
    `<nav xmlns:epub="http://www.idpf.org/2007/ops" epub:type="toc"><ol>${list}</ol></nav>`,
  ]);
  const bytes = (content: string) => Buffer.from(content, 'utf8');
  const ids = pages.map(({ id }) => id);
  return createArchive([
    { name: 'mimetype', content: bytes('application/epub+zip'), stored: true },
    { name: 'META-INF/container.xml', content: bytes(container) },
    { name: 'OEBPS/book.opf', content: bytes(packageDocument(book, ids)) },
    { name: 'OEBPS/nav.xhtml', content: bytes(nav) },
    ...pages.map(({ id, html }) => ({ name: `OEBPS/${id}.xhtml`, content: bytes(html) })),
  ]);
}

const container = `<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`;

function packageDocument(book: { title: string; author: string; language: string }, ids: string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="uid">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="uid">urn:uuid:0f3a1c52-7b0e-4c53-8f0e-6a5d1e2b9c40</dc:identifier><dc:title>${escapeAttribute(book.title)}</dc:title><dc:creator>${escapeAttribute(book.author)}</dc:creator><dc:language>${book.language}</dc:language><meta property="dcterms:modified">2026-01-01T00:00:00Z</meta></metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>${ids.map((id) => `<item id="${id}" href="${id}.xhtml" media-type="application/xhtml+xml"/>`).join('')}</manifest>
<spine>${ids.map((id) => `<itemref idref="${id}"/>`).join('')}</spine></package>`;
}

function paragraph(text: string): string {
  const note = /^\[\^(\d+)\]: ([\s\S]*)$/.exec(text);
  if (note) {
    return `<aside xmlns:epub="http://www.idpf.org/2007/ops" epub:type="footnote" id="n${note[1]}"><p>${inline(note[2] ?? '')}</p></aside>`;
  }
  if (!text.startsWith('> ')) return `<p>${inline(text)}</p>`;
  const lines = text.split('\n').map((line) => inline(line.replace(/^> /, '').replace(/\\$/, '')));
  return `<blockquote><p>${lines.join('<br/>\n')}</p></blockquote>`;
}

function inline(text: string): string {
  return escapeAttribute(text)
    .replace(/\*([^*]+)\*/g, '<em>$1</em>')
    .replace(
      /\[\^(\d+)\]/g,
      '<a xmlns:epub="http://www.idpf.org/2007/ops" epub:type="noteref" href="#n$1"><sup>$1</sup></a>',
    );
}

function page(language: string, title: string, body: string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="${language}" xml:lang="${language}"><head><title>${escapeAttribute(title)}</title></head>
<body>
${body.join('\n')}
</body></html>
`;
}
