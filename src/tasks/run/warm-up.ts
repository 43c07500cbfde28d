/**
 * Texts of ours go the way of a partner's, in a process that waits for work. What is loaded or compiled when it is first used takes 130 ms
 * of processor for a sentence, several times what the sentence takes, and twice the time of a book before its first call and after its last
 * answer; the first partner of the process would wait for it.
 */
import { sampleEpub, sampleTranslation } from '../../documents/sample-book.ts';
import { openJudgedBytes } from '../../documents/source-jobs.ts';
import { usualOutputs } from '../output-files.ts';
import type { BookHost, PairEngines } from './book-host.ts';
import { filesOf, translateOpened } from './translate-opened.ts';
import { makeFiles } from './write-files.ts';

const sentence = { source: 'The lamp on the quay was out.', target: 'Die Lampe am Kai war aus.' };

/** A book is only waited for by a process that is kept for books. */
const bookRounds = 4;

export async function* warmUp(keptFor: 'sentence' | 'book'): AsyncGenerator<void> {
  await translate(Buffer.from(sentence.source), 'text.txt', () => sentence.target);
  if (keptFor !== 'book') return;
  const book = sampleEpub();
  for (let round = 0; round < bookRounds; round++) {
    yield;
    await translate(book, 'sample.epub', sampleTranslation);
  }
}

async function translate(bytes: Uint8Array, fileName: string, translation: (text: string) => string): Promise<void> {
  const reading = { fileName, charLimit: undefined, skipFrontMatter: false };
  const opened = await openJudgedBytes(bytes, { ...reading, maxCharacters: 1_000_000, maxArchiveBytes: 1_000_000 });
  const job = {
    outputs: usualOutputs,
    edition: undefined,
    glossaryJson: '[]',
    strategy: 'merge' as const,
    acceptDraft: true,
    concurrency: 4,
    mayResume: false,
  };
  const translated = await translateOpened(opened, job, hostWith(translation), () => {});
  makeFiles(filesOf(translated, fileName, job), () => {});
  await translated.settled();
}

const engines: PairEngines = {
  capabilities: [{ followsInstructions: true, keepsInlineTags: true, maxInputCharacters: 8_000, maxConcurrency: 4 }],
  policy: 'warm-up',
};
const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
const languages = { sourceLang: 'en', targetLang: 'de', detected: 'en', contradicting: undefined, warnings: [] };

/** Everything is answered here and nothing is kept. */
function hostWith(translation: (text: string) => string): BookHost {
  return {
    async stage() {},
    async analysed() {},
    begin: async () => ({ languages, engines, series: undefined, paysAgain: false, rememberedCharacters: 0 }),
    enginesFor: async () => engines,
    async translate({ request: { blocks } }) {
      const translations = new Map(blocks.map(({ id, text }) => [id, translation(text)]));
      return { result: { translations, finish: 'complete', usage } };
    },
    extractTerms: async () => ({ result: { terms: [], digest: '', finish: 'complete', usage } }),
    loadRecords: async () => ({ records: [], next: undefined }),
    async saveRecord() {},
    async saveChapters() {},
    findRemembered: async () => new Map(),
    series: async () => undefined,
    freezeTerms: async () => undefined,
    async remember() {},
    async payFor() {},
    async textsAreFinal() {},
    async learned() {},
    async store() {},
  };
}
