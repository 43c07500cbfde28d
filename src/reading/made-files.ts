/** The files that can be made of a finished book at any time, with its corrections. Nothing is translated for them and nothing charged. */

import { glossaryCsv } from '../glossary/glossary-csv.ts';
import { type BookWriter, type ChapterPiece, writePieces } from '../interchange/interchange-book.ts';
import { writeTbx } from '../interchange/tbx.ts';
import { tmxWriter } from '../interchange/tmx.ts';
import { xliffWriter } from '../interchange/xliff.ts';
import { nameOfOutput, textFileKinds } from '../tasks/output-files.ts';
import { rangeOf, type SourceFiles } from '../tasks/source-files.ts';
import type { Task, TaskOutput } from '../tasks/task.ts';
import { isOneOf } from '../written-values.ts';
import { termOf } from './book-reading.ts';
import { unitOf } from './interchange-of.ts';
import type { ReadableBook } from './read-book.ts';

export const bookFiles = { corrected: 'translated', bilingual: 'bilingual' } as const;
export const textFiles = ['glossary', 'glossary_tbx', 'xliff', 'tmx'] as const;
export type MadeFileId = keyof typeof bookFiles | (typeof textFiles)[number];

/** The translation and its report stay what the machine delivered. */
export function canBeMade(fileId: string): fileId is MadeFileId {
  return fileId in bookFiles || isOneOf(fileId, textFiles);
}

export type NewFile = Pick<TaskOutput, 'fileId' | 'fileName' | 'mediaType'> & {
  content: AsyncIterable<Uint8Array | string>;
};

export interface MakingOf {
  task: Task;
  book: ReadableBook;
  sources: SourceFiles;
  signal: AbortSignal;
}

/** @throws UNAVAILABLE, what writing throws */
export async function madeFile(making: MakingOf, fileId: MadeFileId): Promise<NewFile> {
  if (fileId === 'corrected' || fileId === 'bilingual') return await bookFile(making, fileId);
  const { extension, mediaType } = textFileKinds[fileId];
  const fileName = nameOfOutput(making.task, fileId, extension);
  return { fileId, fileName, mediaType, content: textOf(making, fileId) };
}

async function bookFile(
  { task, book, sources, signal }: MakingOf,
  fileId: 'corrected' | 'bilingual',
): Promise<NewFile> {
  const texts = new Map<string, string>();
  for await (const { block } of book.blocks()) texts.set(block.id, block.target);
  const { sourceLang, targetLang } = book.index;
  const edition = { id: task.id, modifiedAt: new Date() };
  const { bytes, extension, mediaType } = await sources.write(
    task.sourceKey ?? '',
    { ...rangeOf(task), owner: task.accountId, signal },
    { texts, options: { sourceLang, targetLang, variant: bookFiles[fileId], edition } },
  );
  return { fileId, fileName: nameOfOutput(task, fileId, extension), mediaType, content: once(bytes) };
}

function textOf({ task, book }: MakingOf, fileId: (typeof textFiles)[number]): AsyncIterable<string> {
  const { sourceLang, targetLang } = book.index;
  const terms = book.index.terms.map(termOf);
  const about = { fileName: task.fileName, sourceLang, targetLang };
  const written = (writer: BookWriter) => writePieces(writer, piecesOf(book));
  const make = {
    glossary: () => once(glossaryCsv(terms)),
    glossary_tbx: () => once(writeTbx(terms, sourceLang, targetLang, task.fileName)),
    xliff: () => written(xliffWriter(about)),
    tmx: () => written(tmxWriter(about)),
  };
  return make[fileId]();
}

async function* piecesOf(book: ReadableBook): AsyncGenerator<ChapterPiece> {
  const { chapters, terms } = book.index;
  for (const [number, { title, continued }] of chapters.entries()) {
    const blocks = await book.chapter(number);
    yield { title: title ?? undefined, continued, units: blocks.map((block) => unitOf(block, terms)) };
  }
}

async function* once<T>(content: T): AsyncGenerator<T> {
  yield content;
}
