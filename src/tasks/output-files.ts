/** The files of a finished translation, by `file_id`. */
export const usualOutputs = ['translated', 'bilingual', 'glossary', 'report'] as const;

/** What `outputs` of POST /tasks may name. */
export const requestableOutputs = [...usualOutputs, 'xliff', 'tmx', 'glossary_tbx'] as const;

/** What can be downloaded: `corrected` is the book made again with its corrections. */
export const outputFileIds = [...requestableOutputs, 'corrected'] as const;

/** What the reader shows, made with every translation. */
export const readingFiles = ['reading_index', 'reading'] as const;

/** The reader's own files are stored beside the outputs, but are none. */
export function isDownloadable(fileId: string): boolean {
  return (outputFileIds as readonly string[]).includes(fileId);
}
