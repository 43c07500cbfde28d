/** The files of a finished translation, written into a folder: the book, the bilingual book, the glossary, the report. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocumentWarning, WriteOptions } from '../../documents/document.ts';
import type { OpenedDocument } from '../../documents/formats.ts';
import { packTexts, unpackTexts } from '../../documents/packed-texts.ts';
import { glossaryCsv } from '../../glossary/glossary-csv.ts';
import type { BookResult } from '../../translation/translate-book.ts';

export interface WrittenFile {
  fileId: string;
  /** In the folder that was given. */
  path: string;
  extension: string;
  mediaType: string;
}

export interface FilesToWrite {
  opened: OpenedDocument;
  folder: string;
  book: BookResult;
  /** What reading the source had to say. */
  early: readonly DocumentWarning[];
  sourceLang: string;
  targetLang: string;
  edition: WriteOptions['edition'];
}

/** Returns also what the writers had to say, which the report tells too. */
export function writeFiles({ opened, folder, book, early, sourceLang, targetLang, edition }: FilesToWrite): {
  files: WrittenFile[];
  warnings: DocumentWarning[];
} {
  const files: WrittenFile[] = [];
  const warnings = new Map<string, DocumentWarning>();
  const put = (fileId: string, extension: string, mediaType: string, content: Uint8Array | string): void => {
    const path = join(folder, fileId);
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
    files.push({ fileId, path, extension, mediaType });
  };
  const texts = unpackTexts(packTexts(book.texts));
  for (const variant of ['translated', 'bilingual'] as const) {
    const written = opened.write(texts, { sourceLang, targetLang, variant, ...(edition && { edition }) });
    put(variant, written.extension, written.mediaType, written.bytes);
    // Both outputs are repaired in the same places.
    for (const warning of written.warnings ?? []) warnings.set(`${warning.code} ${warning.message}`, warning);
  }
  const late = [...warnings.values()];
  const report = { ...book.report, warnings: [...early, ...late, ...book.report.warnings] };
  put('glossary', 'csv', 'text/csv; charset=utf-8', glossaryCsv(book.terms));
  put('report', 'json', 'application/json', `${JSON.stringify(report, null, 2)}\n`);
  return { files, warnings: late };
}
