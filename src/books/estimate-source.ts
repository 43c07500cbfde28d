/** token_estimate: what the run it describes would take, from the same reader and the same plan. Runs in the sandbox. */
import { blocksOf } from '../documents/document.ts';
import { type JudgedSource, openJudgedSource, type SourceFile } from '../documents/source-jobs.ts';
import { shortestBook } from '../glossary/candidate-passages.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { estimateRunTokens } from '../language/estimate-run-tokens.ts';
import { asOrdered, type OrderedTerms } from '../translation/memory/series-terms.ts';
import { planSegments } from '../translation/plan/segment.ts';
import type { BookHost } from './book-host.ts';
import { type RememberedOrder, rememberedCharacters } from './remembered-book.ts';

/**
 * Counted on a novel of 700,000 characters with forty names (`npm run prove prompt-cost`). Rules, sheet, names and context took 2,400
 * tokens a segment, 1,940 of them the same in every call. A short text has no sheet and few names. The analysis of a text that is read
 * whole took 1.17 to 1.26 times the source. Of a book only passages are read: 0.07 times Pride and Prejudice, 0.2 times the made novel.
 */
const overheadTokens = { short: 1_500, book: 2_400 };
const leastBookCharacters = 20_000;
const analysisRatio = { whole: 1.2, passages: 0.12 };
const plannedInputCharacters = 6_000;

export interface EstimateJob extends Omit<RememberedOrder, 'targetLang' | keyof OrderedTerms> {
  source: SourceFile;
  targetLang: string | undefined;
  orderedTermsJson: string | undefined;
}

export async function estimateSource(job: EstimateJob, host: BookHost) {
  const opened = await openJudgedSource(job.source);
  const { document, language } = opened;
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
    overheadTokensPerSegment: document.characters < leastBookCharacters ? overheadTokens.short : overheadTokens.book,
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
    /** Only in a series: what it remembers, which is not charged. */
    reusedCharacters: await reusedInSeries(opened, job, host),
    /** In the range. */
    characters: document.characters,
  };
}

/** What a translation of the same source would not be charged for. Undefined outside of a series. */
async function reusedInSeries(opened: JudgedSource, job: EstimateJob, host: BookHost): Promise<number | undefined> {
  const { targetLang } = job;
  const series = targetLang === undefined ? undefined : await host.series();
  if (targetLang === undefined || series === undefined) return undefined;
  return await rememberedCharacters(opened, { ...job, ...asOrdered(series, job), targetLang }, host);
}
