/** The files of a finished translation: what the partner asked for, and what the reader shows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocumentWarning, WriteOptions } from '../documents/document.ts';
import type { OpenedDocument } from '../documents/formats.ts';
import { glossaryCsv } from '../glossary/glossary-csv.ts';
import { writeTbx } from '../interchange/tbx.ts';
import { writeTmx } from '../interchange/tmx.ts';
import { writeXliff } from '../interchange/xliff.ts';
import { lazily } from '../platform/lazily.ts';
import { interchangeOf } from '../reading/interchange-of.ts';
import { packReading } from '../reading/pack-reading.ts';
import { textFileKinds } from '../tasks/output-files.ts';
import type { BookResult } from '../translation/translate-book.ts';

export interface WrittenFile {
  /** Its name in the folder that was given, too. */
  fileId: string;
  extension: string;
  mediaType: string;
}

export interface MadeFile extends WrittenFile {
  content: Uint8Array | string;
}

export interface FilesToMake {
  opened: OpenedDocument;
  fileName: string;
  /** File ids; the reader's own files are always made. */
  outputs: readonly string[];
  book: BookResult;
  /** What reading the source had to say. */
  early: readonly DocumentWarning[];
  sourceLang: string;
  targetLang: string;
  edition: WriteOptions['edition'];
}

const bookVariants = ['translated', 'bilingual'] as const;

/** Returns what the writers had to say, which the report tells too. @param onWritten is told of each as soon as it is there */
export function writeFiles(
  task: FilesToMake,
  folder: string,
  onWritten: (file: WrittenFile) => void,
): DocumentWarning[] {
  return makeFiles(task, ({ content, ...file }) => {
    writeFileSync(join(folder, file.fileId), content, { flag: 'wx', mode: 0o600 });
    onWritten(file);
  });
}

/** One file after the other, because all of them together may be several times the size of the book. */
export function makeFiles(task: FilesToMake, take: (file: MadeFile) => void): DocumentWarning[] {
  const { opened, fileName, book, early, sourceLang, targetLang, edition } = task;
  const asked = new Set(task.outputs);
  const warnings = new Map<string, DocumentWarning>();
  const put = (fileId: string, extension: string, mediaType: string, content: Uint8Array | string): void =>
    take({ fileId, extension, mediaType, content });
  for (const variant of bookVariants.filter((each) => asked.has(each))) {
    const options = { sourceLang, targetLang, variant, ...(edition && { edition }) };
    const { extension, mediaType, bytes, warnings: own = [] } = opened.write(book.texts, options);
    put(variant, extension, mediaType, bytes);
    // Both outputs are repaired in the same places.
    for (const warning of own) warnings.set(`${warning.code} ${warning.message}`, warning);
  }
  const late = [...warnings.values()];
  const report = { ...book.report, warnings: [...early, ...late, ...book.report.warnings] };
  const told = { ...book, document: opened.document, sourceLang, targetLang };
  const interchange = lazily(() => interchangeOf(told, fileName));
  const made: Record<keyof typeof textFileKinds, () => string> = {
    glossary: () => glossaryCsv(book.terms),
    report: () => `${JSON.stringify(report, null, 2)}\n`,
    xliff: () => writeXliff(interchange()),
    tmx: () => writeTmx(interchange()),
    glossary_tbx: () => writeTbx(book.terms, sourceLang, targetLang, fileName),
  };
  const reading = packReading(told);
  put('reading', 'json', 'application/octet-stream', reading.chapters);
  put('reading_index', 'json', 'application/json', reading.index);
  // The small ones last: everybody waits until the last one is stored.
  for (const [fileId, make] of Object.entries(made)) {
    const { extension, mediaType } = textFileKinds[fileId as keyof typeof made];
    if (asked.has(fileId)) put(fileId, extension, mediaType, make());
  }
  return late;
}
