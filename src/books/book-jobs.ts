/**
 * The work on one book from its source to its outputs, in the book's own process. The source is read once: reading,
 * analysis, checks and writing share the one document. What it needs from outside it asks its host for.
 */
import type { DocumentWarning, WriteOptions } from '../documents/document.ts';
import { type JudgedSource, openJudgedSource, type SourceFile } from '../documents/source-jobs.ts';
import type { GlossaryStrategy } from '../glossary/glossary.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { withSpan } from '../platform/tracing.ts';
import type { Term } from '../term.ts';
import { type Analysis, analyseBook, extractionWarnings } from '../translation/analyse-book.ts';
import type { BookInput } from '../translation/book.ts';
import { BookTranslationError } from '../translation/book-translation-error.ts';
import { acceptedOf, planChapters, plannedLanguage } from '../translation/chapters.ts';
import type { CheckpointRecord } from '../translation/checkpoint.ts';
import type { BlockKey } from '../translation/memory/block-keys.ts';
import { seriesStateOf } from '../translation/memory/book-memory.ts';
import { type OrderedSeries, suppliedTerms } from '../translation/memory/series-terms.ts';
import { seriesKeys, seriesTermsOf } from '../translation/prepare-book.ts';
import { type Report, shortCoverage } from '../translation/report.ts';
import type { Sheet } from '../translation/sheet.ts';
import { translateBook } from '../translation/translate-book.ts';
import {
  bookEngines,
  chaptersOf,
  extractTermsOf,
  hostCheckpoint,
  hostMemory,
  hostSeries,
  recordsOf,
  teach,
  tellAnalysis,
} from './ask-host.ts';
import type { BookHost, BookStart, FinishedHost } from './book-host.ts';
import type { BookLanguages } from './book-languages.ts';
import { finishedBook } from './finished-book.ts';
import { type FilesToMake, writeFiles } from './write-files.ts';

export { estimateSource } from './estimate-source.ts';

export interface BookJob extends OrderedSeries {
  source: SourceFile;
  /** Where outputs go. */
  folder: string;
  /** The date of the order and not of the writing: a retry has to write the same bytes. */
  edition: WriteOptions['edition'];
  /** File ids. */
  outputs: readonly string[];
  /** Of the supplied terms. */
  glossaryJson: string;
  strategy: GlossaryStrategy;
  /** What the translator should know, in the partner's words. */
  context: string | undefined;
  /** False: what a draft engine made is not taken over either. */
  acceptDraft: boolean;
  /** Calls in flight at once. */
  concurrency: number;
  order: 'runs' | 'free';
}

export type BookWarning = DocumentWarning & { count?: number };

export interface TranslatedBook {
  detectedLang: string | undefined;
  deliveredCharacters: number;
  synopsis: string;
  sheet: Sheet | undefined;
  quality: Report['quality'];
  coverage: ReturnType<typeof shortCoverage>;
  warnings: BookWarning[];
}

export interface ExtractedGlossary extends Pick<Analysis, 'terms' | 'incompleteChunks' | 'readCharacters'> {
  detectedLang: string | undefined;
  warnings: BookWarning[];
}

/** Why there is no result, as data: an exception would lose its class on the way. */
export type BookOutcome<T> =
  | { done: T }
  | { failed: Pick<BookTranslationError, 'code' | 'message' | 'retryable' | 'retryAfterMs' | 'warnings'> };

export async function translateSource(job: BookJob, host: BookHost): Promise<BookOutcome<TranslatedBook>> {
  return await outcomeOf(async (warn) => {
    const opened = await withSpan('read source', {}, () => openJudgedSource(job.source));
    const { languages, engines: able, series, paysAgain } = await begin(opened, host);
    warn(languages.warnings);
    const { sourceLang, targetLang, contradicting, detected: detectedLang } = languages;
    const engines = bookEngines(host, able);
    const checkpoint = hostCheckpoint(host);
    const book = await translateBook({
      document: opened.document,
      sourceLang,
      targetLang,
      contradictingLang: contradicting,
      glossary: JSON.parse(job.glossaryJson) as Term[],
      strategy: job.strategy,
      style: job.style,
      background: job.context,
      engines,
      checkpoint,
      memory: hostMemory(host, {
        acceptDraft: job.acceptDraft,
        engines,
        series: series && hostSeries(host, series, job),
      }),
      concurrency: job.concurrency,
      order: job.order,
      onStage: (stage) => void host.stage(stage),
      onAnalysis: tellAnalysis(host),
      onPlan: (tasks, recalled) =>
        checkpoint.saveChapters(planChapters(opened.document.sections, tasks, recalled, sourceLang)),
    });
    await teach(host, book.memories, paysAgain ? book.paidPlaces : []);
    const early = [...languages.warnings, ...opened.warnings];
    const { synopsis, sheet } = book;
    const written = await writeBook({ ...job, opened, book, early, sourceLang, targetLang }, host);
    return { ...written, detectedLang, synopsis, sheet };
  });
}

async function writeBook(
  { source, folder, ...made }: Omit<FilesToMake, 'fileName'> & Pick<BookJob, 'source' | 'folder'>,
  host: Pick<BookHost, 'store'>,
): Promise<Omit<TranslatedBook, 'detectedLang' | 'synopsis' | 'sheet'>> {
  const { fileName } = source;
  const late = await withSpan('write outputs', {}, async () =>
    writeFiles({ ...made, fileName }, folder, (file) => void host.store(file)),
  );
  const { report } = made.book;
  return {
    deliveredCharacters: report.delivered_characters,
    quality: report.quality,
    coverage: shortCoverage(report),
    warnings: [...made.early, ...late, ...report.warnings].map(shortWarning),
  };
}

export interface FinishedJob
  extends Pick<
    BookJob,
    'source' | 'folder' | 'outputs' | 'edition' | 'glossaryJson' | 'strategy' | 'style' | 'context'
  > {
  targetLang: string;
}

/** Writes down what is finished of a cancelled task, without an engine. */
export async function writeFinished(job: FinishedJob, host: FinishedHost): Promise<BookOutcome<TranslatedBook>> {
  return await outcomeOf(async () => {
    const opened = await openJudgedSource(job.source);
    const [chapters, records] = [await chaptersOf(host), await recordsOf(host)];
    const { targetLang } = job;
    const sourceLang = chapters[0] === undefined ? 'und' : plannedLanguage(chapters[0]);
    const { document, warnings: early } = opened;
    const accepted = acceptedOf(records);
    const keys = finishedKeys(job, { document, sourceLang, targetLang }, records);
    const book = finishedBook({ document, sourceLang, targetLang, chapters, records, accepted, keys });
    await teach({ remember: (part) => host.remember(part), payFor: async () => {} }, book.memories, []);
    const written = await writeBook({ ...job, opened, book, early, sourceLang, targetLang }, host);
    return { ...written, detectedLang: undefined, synopsis: '', sheet: undefined };
  });
}

/** Those that the run had: it has noted what its series was. None outside of series, where only a completed preview is credited. */
function finishedKeys(
  { glossaryJson, strategy, style, context }: FinishedJob,
  book: Pick<BookInput, 'document' | 'sourceLang' | 'targetLang'>,
  records: readonly CheckpointRecord[],
): BlockKey[] {
  const state = records.find((record) => record.kind === 'series')?.state;
  if (state === undefined) return [];
  const supplied = suppliedTerms(JSON.parse(glossaryJson), strategy, state);
  return seriesKeys({ ...book, style: style ?? state.style, background: context }, supplied, state.found);
}

export async function extractGlossary(job: BookJob, host: BookHost): Promise<BookOutcome<ExtractedGlossary>> {
  return await outcomeOf(async (warn) => {
    const opened = await openJudgedSource(job.source);
    const { languages, series: seriesNow } = await begin(opened, host);
    warn(languages.warnings);
    const { sourceLang, targetLang, detected } = languages;
    const checkpoint = hostCheckpoint(host);
    const saved = await checkpoint.load();
    const { save } = checkpoint;
    const series = seriesNow && hostSeries(host, seriesNow, job);
    const state = series && (await seriesStateOf(series, saved, save));
    const analysis = await analyseBook({
      sections: opened.document.sections.map(({ blocks }) => blocks.map((block) => stripInlineTags(block.text))),
      sourceLang,
      targetLang,
      supplied: suppliedTerms(JSON.parse(job.glossaryJson), job.strategy, state),
      strategy: job.strategy,
      ...(series && state ? seriesTermsOf(job.strategy, series, state) : {}),
      // The glossary is what is paid for here, so every word is read for it.
      reading: 'whole',
      extractTerms: extractTermsOf(host),
      concurrency: job.concurrency,
      saved,
      save,
      onProgress: tellAnalysis(host),
    }).catch(BookTranslationError.rethrowUnavailable);
    const { terms, chunks, incompleteChunks, readCharacters } = analysis;
    if (chunks > 0 && incompleteChunks === chunks)
      throw new BookTranslationError('NOTHING_EXTRACTED', 'No part of the text could be read.', { retryable: false });
    const warnings = [...languages.warnings, ...extractionWarnings(analysis).map(shortWarning)];
    return { detectedLang: detected, terms, incompleteChunks, readCharacters, warnings };
  });
}

async function outcomeOf<T>(
  run: (warn: (warnings: BookLanguages['warnings']) => void) => Promise<T>,
): Promise<BookOutcome<T>> {
  let warnings: BookLanguages['warnings'] = [];
  try {
    const done = await run((early) => {
      warnings = early;
    });
    return { done };
  } catch (error) {
    if (!(error instanceof BookTranslationError)) throw error;
    const { code, message, retryable, retryAfterMs } = error;
    return { failed: { code, message, retryable, retryAfterMs, warnings } };
  }
}

function shortWarning({ code, message, count }: BookWarning): BookWarning {
  return { code, message, ...(count === undefined ? {} : { count }) };
}

function begin({ language, document }: JudgedSource, host: BookHost): Promise<BookStart> {
  return host.begin({ language, declaredInBook: document.declaredLanguage, title: document.title });
}
