/**
 * The sheet of the book, as a task of the whole book would have it. It is written once and is the same for all engines, so that they can be
 * compared.
 */
import { blocksOf, type Document } from '../documents/document.ts';
import type { EngineConfig } from '../engines/engine-settings.ts';
import { stripInlineTags } from '../inline-tags.ts';
import type { Sheet } from '../translation/sheet.ts';
import { sheetOf } from '../translation/write-sheet.ts';
import { catalogOf } from './translate-passages.ts';

export interface WrittenSheet {
  sheet: Sheet;
  writtenBy: string;
}

/** By the first of the engines that can. Undefined where none can, or the book is too short for one. */
export async function writeBookSheet(
  engines: readonly EngineConfig[],
  { document, sourceLang, targetLang }: { document: Document; sourceLang: string; targetLang: string },
): Promise<WrittenSheet | undefined> {
  const texts = [...blocksOf(document)].map(({ text }) => stripInlineTags(text));
  for (const config of engines) {
    const catalog = await catalogOf(config);
    try {
      const [engine] = catalog.enginesFor({ sourceLang, targetLang });
      if (engine?.capabilities.followsInstructions !== true) continue;
      const sheet = await sheetOf({
        ...{ sourceLang, targetLang, texts, core: [], known: undefined, isInSeries: false, saved: [] },
        signal: new AbortController().signal,
        writeSheet: (request, { signal }) =>
          catalog.writeSheet(request, { account: 'evaluation', task: 'evaluation', signal }),
        save: async () => {},
      });
      if (sheet !== undefined) return { sheet, writtenBy: config.name };
    } finally {
      catalog.close();
    }
  }
  return undefined;
}
