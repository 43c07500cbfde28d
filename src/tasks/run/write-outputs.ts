/** The files of a finished translation: the book, the bilingual book, the glossary and the report. */

import type { WriteResult } from '../../documents/formats.ts';
import { packTexts } from '../../documents/packed-texts.ts';
import type { SourceFile, WriteJob } from '../../documents/source-jobs.ts';
import { AppError } from '../../errors.ts';
import { glossaryCsv } from '../../glossary/glossary-csv.ts';
import { outputFileName } from '../../platform/storage/content-disposition.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { verifyStored } from '../../platform/storage/verify-stored.ts';
import type { Term } from '../../term.ts';
import type { SourceFiles } from '../source-files.ts';
import type { Task, TaskOutput } from '../task.ts';
import type { Attempt } from './attempt-store.ts';

export interface BookOutputs {
  task: Task;
  attempt: Attempt;
  source: SourceFile;
  texts: ReadonlyMap<string, string>;
  terms: readonly Term[];
  report: object;
  sourceLang: string;
  targetLang: string;
  signal: AbortSignal;
}

interface File {
  fileId: string;
  fileName: string;
  mediaType: string;
  bytes: Uint8Array;
}

/** Stores every file and reads it back by checksum: nothing is charged for what cannot be read. */
export async function writeOutputs(
  { storage, sources }: { storage: Storage; sources: SourceFiles },
  book: BookOutputs,
): Promise<TaskOutput[]> {
  const outputs: TaskOutput[] = [];
  for (const file of await filesOf(sources, book)) {
    // The attempt is part of the key, so a worker that lost the task can never overwrite the winner's file.
    const key = `outputs/${book.task.id}/${book.attempt.number}-${file.fileId}`;
    const stored = await storage.put(key, once(file.bytes), { mediaType: file.mediaType, signal: book.signal });
    if (!(await verifyStored(storage, stored, { signal: book.signal }))) {
      throw new AppError('UNAVAILABLE', 'A stored output could not be read back.', { retryAfterSeconds: 5 });
    }
    const { fileId, fileName, mediaType } = file;
    outputs.push({ fileId, fileName, mediaType, storageKey: key, sizeBytes: stored.sizeBytes, sha256: stored.sha256 });
  }
  return outputs;
}

async function filesOf(
  sources: SourceFiles,
  { task, source, texts, terms, report, sourceLang, targetLang, signal }: BookOutputs,
): Promise<File[]> {
  const packed = packTexts(texts);
  const write = async (variant: 'translated' | 'bilingual'): Promise<File> => {
    const job: WriteJob = { source, texts: packed, options: { sourceLang, targetLang, variant } };
    const written = await sources.run<WriteResult>('writeTranslated', job, signal);
    const tag = variant === 'translated' ? targetLang : `${targetLang}.bilingual`;
    return {
      fileId: variant,
      fileName: outputFileName(task.fileName, tag, written.extension),
      mediaType: written.mediaType,
      bytes: written.bytes,
    };
  };
  const text = (fileId: string, extension: string, mediaType: string, body: string): File => ({
    fileId,
    fileName: outputFileName(task.fileName, `${targetLang}.${fileId}`, extension),
    mediaType,
    bytes: Buffer.from(body),
  });
  return [
    await write('translated'),
    await write('bilingual'),
    text('glossary', 'csv', 'text/csv; charset=utf-8', glossaryCsv(terms)),
    text('report', 'json', 'application/json', `${JSON.stringify(report, null, 2)}\n`),
  ];
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
