/** Chooses the reader and the writer of a source by what it is, not by what it is called. */
import { looksLikeZip, openArchive } from './archive/archive.ts';
import {
  assertCoverage,
  type DocumentFormat,
  type ReadOptions,
  type ReadResult,
  type Translations,
  type WriteOptions,
  type WriteResult,
  type Writer,
} from './document.ts';
import { findDocxParts } from './docx/docx-parts.ts';
import { readDocx } from './docx/docx-source.ts';
import { writeDocx } from './docx/write-docx.ts';
import { unmarkedUtf16 } from './encoding/decode-text.ts';
import { encodingByMark, unicodeOf } from './encoding/xml-encoding.ts';
import { readEpub } from './epub/read-epub.ts';
import { writeEpub } from './epub/write-epub.ts';
import { readFb2 } from './fb2/fb2-source.ts';
import { writeFb2 } from './fb2/write-fb2.ts';
import { foreignFormat, isCompoundFile, officeFault } from './foreign-formats.ts';
import { frontMatterCharacters, withoutOpening } from './front-matter.ts';
import { readHtml } from './html/read-html.ts';
import { writeHtml } from './html/write-html.ts';
import { readMarkdown } from './markdown/markdown-source.ts';
import { writeMarkdown } from './markdown/write-markdown.ts';
import { readOdt } from './odt/odt-source.ts';
import { writeOdt } from './odt/write-odt.ts';
import { sourceFault } from './source-faults.ts';
import { readTxt } from './txt/read-txt.ts';
import { writeTxt } from './txt/write-txt.ts';

interface Format {
  read(bytes: Uint8Array, options: ReadOptions): ReadResult;
  /** The last is what the source was read with. */
  write(...args: [...Parameters<Writer>, ReadOptions]): WriteResult;
}

const formats: Record<DocumentFormat, Format> = {
  // Plain text alone is cut at a limit before its lines are joined, so its writer has to know the limit.
  txt: {
    read: readTxt,
    write: (bytes, _, translations, options, reading) => writeTxt(bytes, reading, translations, options),
  },
  markdown: { read: readMarkdown, write: writeMarkdown },
  html: { read: readHtml, write: writeHtml },
  epub: { read: readEpub, write: writeEpub },
  docx: { read: readDocx, write: writeDocx },
  fb2: { read: readFb2, write: writeFb2 },
  odt: { read: readOdt, write: writeOdt },
};

/** A source that has been read and can be written again. */
export interface OpenedDocument extends ReadResult {
  /** With these translations by block id; a block without one keeps its text. */
  write(translations: Translations, options: WriteOptions): WriteResult;
}

/**
 * Reads a source of any accepted format.
 * @throws BAD_REQUEST with a reason of `sourceFaults`
 */
export function openDocument(bytes: Uint8Array, options: ReadOptions = {}): OpenedDocument {
  const format = formats[sniffFormat(bytes, options.fileName, options.maxArchiveBytes)];
  const { charLimit, ...whole } = options;
  // Read from the start in any case: a writer needs all that comes before the end of the range.
  const before = options.skipFrontMatter ? frontMatterCharacters(format.read(bytes, whole)) : 0;
  const reading = charLimit === undefined ? whole : { ...whole, charLimit: before + charLimit };
  const result = format.read(bytes, reading);
  assertCoverage(result.document);
  if (result.document.totalCharacters === 0) throw sourceFault('EMPTY_SOURCE');
  return {
    document: before === 0 ? result.document : withoutOpening(result, before),
    warnings: result.warnings,
    write: (translations, writeOptions) => format.write(bytes, result.document, translations, writeOptions, reading),
  };
}

/** @throws BAD_REQUEST UNSUPPORTED_FORMAT, EMPTY_SOURCE, and the ARCHIVE_ reasons */
export function sniffFormat(bytes: Uint8Array, fileName = '', maxArchiveBytes?: number): DocumentFormat {
  if (bytes.length === 0) throw sourceFault('EMPTY_SOURCE');
  if (looksLikeZip(bytes)) return sniffArchive(bytes, maxArchiveBytes);
  if (isCompoundFile(bytes)) throw officeFault(bytes);
  const extension = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? '';
  // The first characters, whatever the Unicode encoding.
  const head = new TextDecoder(unicodeOf(bytes) ?? 'utf-8').decode(bytes.subarray(0, 4096));
  if (head.startsWith('%PDF-') || isBinary(bytes)) throw unsupported();
  if (/^(?:epub|docx|odt|zip)$/.test(extension))
    throw sourceFault('UNREADABLE_SOURCE', `A file named .${extension} is an archive, and this one is not.`);
  const foreign = foreignFormat(head, extension);
  if (foreign !== undefined) throw unsupported(`It is ${foreign}.`);
  const markup = head.replace(/^\s*(<\?xml[^>]*\?>)?(\s|<!--[\s\S]*?-->)*/, '');
  if (/^(<!DOCTYPE\s+FictionBook[^>]*>\s*)?<(\w+:)?FictionBook[\s>]/i.test(markup)) return 'fb2';
  if (/^(<!DOCTYPE\s+html|<html[\s>]|<head[\s>]|<body[\s>])/i.test(markup)) return 'html';
  if (/^x?html?$/.test(extension) && /<[a-z][^>]*>/i.test(head)) return 'html';
  if (/^(md|markdown|mdown|mkd)$/.test(extension)) return 'markdown';
  if (/^<\?xml\s/.test(head.trimStart())) throw unsupported();
  return 'txt';
}

function sniffArchive(bytes: Uint8Array, maxArchiveBytes?: number): DocumentFormat {
  const archive = openArchive(bytes);
  archive.verify(maxArchiveBytes);
  const mimetype = Buffer.from(archive.read('mimetype') ?? [])
    .toString('latin1')
    .trim();
  if (mimetype === 'application/epub+zip' || archive.has('META-INF/container.xml')) return 'epub';
  if (mimetype.startsWith('application/vnd.oasis.opendocument.text')) return 'odt';
  if (findDocxParts(archive) !== undefined) return 'docx';
  if (archive.entries.some(({ name }) => /\.fb2$/i.test(name))) return 'fb2';
  throw unsupported();
}

/** Text of any encoding but UTF-16 has no zero bytes and few control characters. */
function isBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 8192);
  // Half of the bytes of Russian in UTF-16 are a control character, and those of Chinese may be any.
  if (encodingByMark(bytes)?.startsWith('utf-16') || unmarkedUtf16(bytes) !== undefined) return false;
  // Escape opens ISO-2022 sequences; the other exceptions are tab, line ends, form feed and the DOS end mark.
  const controls = head.filter((byte) => byte < 32 && ![9, 10, 12, 13, 26, 27].includes(byte));
  return head.includes(0) || controls.length > head.length * 0.01;
}

function unsupported(detail?: string) {
  return sourceFault('UNSUPPORTED_FORMAT', detail, { allowed: Object.keys(formats) });
}
