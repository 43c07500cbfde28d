/** What else is made again with a corrected book: the files for editors and the glossary, in the place of those that were delivered. */
import { glossaryCsv } from '../glossary/glossary-csv.ts';
import { type BookWriter, type ChapterPiece, writePieces } from '../interchange/interchange-book.ts';
import { writeTbx } from '../interchange/write-tbx.ts';
import { tmxWriter } from '../interchange/write-tmx.ts';
import { xliffWriter } from '../interchange/write-xliff.ts';
import { termOf } from './book-reading.ts';
import { unitOf } from './interchange-of.ts';
import type { ReadableBook } from './read-book.ts';

/** By file id; a file that is not here stays as it was delivered. */
export function remadeFiles(book: ReadableBook, fileName: string): Map<string, () => AsyncIterable<string>> {
  const { sourceLang, targetLang } = book.index;
  const terms = book.index.terms.map(termOf);
  const about = { fileName, sourceLang, targetLang };
  const written = (writer: BookWriter) => () => writePieces(writer, piecesOf(book));
  return new Map([
    ['glossary', () => once(glossaryCsv(terms))],
    ['glossary_tbx', () => once(writeTbx(terms, sourceLang, targetLang, fileName))],
    ['xliff', written(xliffWriter(about))],
    ['tmx', written(tmxWriter(about))],
  ]);
}

async function* piecesOf(book: ReadableBook): AsyncGenerator<ChapterPiece> {
  const { chapters, terms } = book.index;
  for (const [number, { title, continued }] of chapters.entries()) {
    const blocks = await book.chapter(number);
    yield { title: title ?? undefined, continued, units: blocks.map((block) => unitOf(block, terms)) };
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
