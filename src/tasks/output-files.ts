import { outputFileName } from '../platform/storage/content-disposition.ts';
import { isOneOf } from '../written-values.ts';

/** The files of a finished translation, by `file_id`. */
export const usualOutputs = ['translated', 'bilingual', 'glossary', 'report'] as const;

/** What `outputs` of POST /tasks may name. */
export const requestableOutputs = [...usualOutputs, 'xliff', 'tmx', 'glossary_tbx'] as const;

/** What can be downloaded: `corrected` is the book made again with its corrections. */
export const outputFileIds = [...requestableOutputs, 'corrected'] as const;

/** Of the files that are text, whatever the source is. */
export const textFileKinds = {
  glossary: { extension: 'csv', mediaType: 'text/csv; charset=utf-8' },
  report: { extension: 'json', mediaType: 'application/json' },
  xliff: { extension: 'xlf', mediaType: 'application/xliff+xml' },
  tmx: { extension: 'tmx', mediaType: 'application/x-tmx+xml' },
  glossary_tbx: { extension: 'tbx', mediaType: 'application/x-tbx+xml' },
} as const;

/** What stands in the file's name; nothing where the extension says it all. */
const nameWords: Record<string, string> = { translated: '', xliff: '', tmx: '', glossary_tbx: 'glossary' };

export function nameOfOutput(
  { fileName, targetLang = 'en' }: { fileName: string; targetLang: string | undefined },
  fileId: string,
  extension: string,
): string {
  const word = nameWords[fileId] ?? fileId;
  return outputFileName(fileName, word === '' ? targetLang : `${targetLang}.${word}`, extension);
}

/** What the reader shows, made with every translation. */
export const readingFiles = ['reading_index', 'reading'] as const;

/** The reader's own files are stored beside the outputs, but are none. */
export function isDownloadable(fileId: string): boolean {
  return isOneOf(fileId, outputFileIds);
}
