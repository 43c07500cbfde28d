/** token_estimate: what the run it describes would take, from the same reader and the same plan. Runs in a bounded child. */
import { blocksOf, type Document } from '../../documents/document.ts';
import { openJudgedSource, type SourceFile } from '../../documents/source-jobs.ts';
import { shortestBook } from '../../glossary/candidate-passages.ts';
import type { GlossaryStrategy } from '../../glossary/glossary.ts';
import { stripInlineTags } from '../../inline-tags.ts';
import type { DetectedLanguage } from '../../language/detect-language.ts';
import { estimateRunTokens } from '../../language/estimate-run-tokens.ts';
import { parseLanguage } from '../../language/languages.ts';
import { recallBlocks } from '../../translation/memory/recall.ts';
import { reusedOf } from '../../translation/memory/reused.ts';
import { suppliedTerms } from '../../translation/memory/series-terms.ts';
import { planSegments } from '../../translation/plan/segment.ts';
import { seriesKeys } from '../../translation/prepare-book.ts';
import { hostMemory, hostSeries } from './ask-host.ts';
import type { BookHost } from './book-host.ts';

export interface SourceEstimate {
  language: DetectedLanguage | undefined;
  declaredInBook: string | undefined;
  totalCharacters: number;
  estimatedTokens: number;
  inputTokens: number;
  outputTokens: { low: number; high: number };
  segments: number;
  /** Only in a series: what it remembers, which is not charged. */
  reusedCharacters: number | undefined;
  /** In the range. */
  characters: number;
}

/**
 * Counted on novels of 20,000 and 300,000 characters with forty names, translated with the glossary extracted: rules,
 * terms, roster and context took 477 and 554 tokens a segment (184 to 192 without terms), the analysis of a text that is read
 * whole 1.17 to 1.26 times the source. Of a book only passages are read: 0.07 times Pride and Prejudice, 0.2 times the made novel.
 */
const overheadTokensPerSegment = 520;
const analysisRatio = { whole: 1.2, passages: 0.12 };
const plannedInputCharacters = 6_000;

export interface EstimateJob {
  source: SourceFile;
  sourceLang: string | undefined;
  targetLang: string | undefined;
  /** Of the supplied terms. */
  glossaryJson: string;
  strategy: GlossaryStrategy;
  acceptDraft: boolean;
}

export async function estimateSource(job: EstimateJob, host: BookHost): Promise<SourceEstimate> {
  const { document, language } = await openJudgedSource(job.source);
  const texts = blocksOf(document).map((block) => stripInlineTags(block.text));
  const sourceLang = job.sourceLang ?? language?.code ?? 'en';
  const { segments } = planSegments(document.sections, {
    language: sourceLang,
    maxInputCharacters: plannedInputCharacters,
  });
  const estimate = estimateRunTokens(texts, {
    sourceLang,
    targetLang: job.targetLang,
    segments: segments.length,
    overheadTokensPerSegment,
    analysisRatio: document.characters < shortestBook ? analysisRatio.whole : analysisRatio.passages,
  });
  return {
    language,
    declaredInBook: document.declaredLanguage,
    totalCharacters: document.totalCharacters,
    estimatedTokens: estimate.totalTokens,
    inputTokens: estimate.inputTokens,
    outputTokens: estimate.outputTokens,
    segments: segments.length,
    reusedCharacters: await reusedInSeries(document, language, job, host),
    characters: document.characters,
  };
}

/** By the keys that a translation of the same source would use now. Undefined outside of a series. */
async function reusedInSeries(
  document: Document,
  language: DetectedLanguage | undefined,
  { sourceLang: declared, targetLang, glossaryJson, strategy, acceptDraft }: EstimateJob,
  host: BookHost,
): Promise<number | undefined> {
  if (targetLang === undefined) return undefined;
  const inBook = document.declaredLanguage ? parseLanguage(document.declaredLanguage)?.tag : undefined;
  const sourceLang = declared ?? language?.code ?? inBook ?? 'und';
  const state = await host.series();
  if (state === undefined) return undefined;
  const engines = await host.enginesFor({ sourceLang, targetLang });
  const { find, accepted } = hostMemory(host, { acceptDraft, engines, series: hostSeries(host, state) });
  const supplied = suppliedTerms(JSON.parse(glossaryJson), strategy, state);
  const keys = seriesKeys({ document, sourceLang, targetLang, style: state.style }, supplied);
  const recalled = await recallBlocks({
    document,
    keys,
    find,
    targetLang,
    accepted,
    saved: [],
    save: async () => {},
    signal: new AbortController().signal,
  });
  return reusedOf(document, (blockId) => recalled.get(blockId)?.free === true).characters;
}
