/**
 * One sentence of ours goes the way of a partner's, in a process that waits for work. What is loaded or compiled when it is first
 * used takes 130 ms of processor, several times what the sentence takes; the first partner of the process would wait for it.
 */
import { openJudgedBytes } from '../../documents/source-jobs.ts';
import { usualOutputs } from '../output-files.ts';
import type { BookHost, PairEngines } from './book-host.ts';
import { filesOf, translateOpened } from './translate-opened.ts';
import { makeFiles } from './write-files.ts';

const source = 'The lamp on the quay was out.';
const target = 'Die Lampe am Kai war aus.';
const fileName = 'text.txt';

export async function warmUp(): Promise<void> {
  const bytes = new TextEncoder().encode(source);
  const reading = { fileName, charLimit: undefined, skipFrontMatter: false };
  const opened = await openJudgedBytes(bytes, { ...reading, maxCharacters: 1_000, maxArchiveBytes: 1_000 });
  const job = {
    outputs: usualOutputs,
    edition: undefined,
    glossaryJson: '[]',
    strategy: 'merge' as const,
    acceptDraft: true,
    concurrency: 1,
    mayResume: false,
  };
  const translated = await translateOpened(opened, job, host, () => {});
  makeFiles(filesOf(translated, fileName, job), () => {});
  await translated.settled();
}

const engines: PairEngines = {
  capabilities: [{ followsInstructions: true, keepsInlineTags: true, maxInputCharacters: 1_000, maxConcurrency: 1 }],
  policy: 'warm-up',
};
const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
const languages = { sourceLang: 'en', targetLang: 'de', detected: 'en', contradicting: undefined, warnings: [] };

/** Everything is answered here and nothing is kept. */
const host: BookHost = {
  async stage() {},
  async analysed() {},
  begin: async () => ({ languages, engines, series: undefined, paysAgain: false }),
  enginesFor: async () => engines,
  async translate({ request: { blocks } }) {
    const translations = new Map(blocks.map(({ id }) => [id, target]));
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
};
