/** What each action does between taking a task and ending it. */
import type { Document, DocumentWarning, ReadResult } from '../../documents/document.ts';
import { blocksOf } from '../../documents/document.ts';
import type { DocumentMetadata } from '../../documents/metadata.ts';
import type { SourceFile } from '../../documents/source-jobs.ts';
import type { EngineCatalog } from '../../engines/catalog.ts';
import { EngineError } from '../../engines/engine.ts';
import { stripInlineTags } from '../../inline-tags.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { parseLanguage } from '../../language/languages.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Db } from '../../platform/postgres.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { withSpan } from '../../platform/tracing.ts';
import type { Term } from '../../term.ts';
import { analyseBook, extractionWarnings } from '../../translation/analyse-book.ts';
import type { BookEngines } from '../../translation/book.ts';
import { BookTranslationError } from '../../translation/book-translation-error.ts';
import { translateBook } from '../../translation/translate-book.ts';
import { extractedCharacters } from '../price.ts';
import type { SourceFiles } from '../source-files.ts';
import type { Task } from '../task.ts';
import { type Attempt, saveProgress } from './attempt-store.ts';
import { databaseCheckpoint, reusableSegments } from './checkpoint-store.ts';
import type { SourceEstimate } from './estimate-source.ts';
import type { ActionOutcome } from './run-task.ts';
import { writeOutputs } from './write-outputs.ts';

export interface ActionDependencies {
  db: Db;
  storage: Storage;
  sources: SourceFiles;
  engines: EngineCatalog;
  /** Serves sandbox keys whatever is configured. */
  sandboxEngines: EngineCatalog;
  /** Segments of one task in flight; the engines' own limits decide how many really run. */
  segmentConcurrency: number;
  metrics: Metrics;
}

interface Run {
  deps: ActionDependencies;
  task: Task;
  attempt: Attempt;
  signal: AbortSignal;
}

export async function performAction(
  deps: ActionDependencies,
  task: Task,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<ActionOutcome> {
  const run: Run = { deps, task, attempt, signal };
  const options = { fileName: task.fileName, charLimit: task.charLimit, signal };
  return await deps.sources.withSource(task.sourceKey ?? '', options, async (source) => {
    switch (task.action) {
      case 'token_estimate':
        return await estimate(run, source);
      case 'preview_metadata':
        return await describe(run, source);
      case 'glossary_extraction':
        return await extractGlossary(run, source);
      case 'translation':
      case 'preview_translation':
        return await translate(run, source);
    }
  });
}

const estimateModule = new URL('./estimate-source.ts', import.meta.url);

async function estimate({ deps, task, signal }: Run, source: SourceFile): Promise<ActionOutcome> {
  const job = { source, sourceLang: declaredSource(task), targetLang: task.targetLang };
  const found = await deps.sources.run<SourceEstimate>('estimateSource', job, signal, estimateModule);
  return {
    deliveredCharacters: 0,
    detectedLang: found.detectedLanguage,
    outputs: [],
    result: {
      detected_language: found.detectedLanguage,
      total_characters: found.totalCharacters,
      estimated_tokens: found.estimatedTokens,
      token_estimate: {
        input_tokens: found.inputTokens,
        output_tokens_low: found.outputTokens.low,
        output_tokens_high: found.outputTokens.high,
        segments: found.segments,
      },
    },
  };
}

async function describe({ deps, task, signal }: Run, source: SourceFile): Promise<ActionOutcome> {
  const metadata = await deps.sources.run<DocumentMetadata>('describeSource', source, signal);
  const detected = metadata.detected_language ?? undefined;
  return {
    deliveredCharacters: 0,
    detectedLang: detected,
    outputs: [],
    result: { detected_language: detected ?? 'und', metadata: { ...metadata, file_name: task.fileName } },
  };
}

async function extractGlossary(run: Run, source: SourceFile): Promise<ActionOutcome> {
  const { deps, task, attempt, signal } = run;
  const { document } = await deps.sources.run<ReadResult>('readSource', source, signal);
  const languages = await languagesOf(run, document);
  const checkpoint = databaseCheckpoint(deps.db, task, attempt);
  const catalog = catalogOf(run);
  try {
    const analysis = await analyseBook({
      sections: document.sections.map(({ blocks }) => blocks.map((block) => stripInlineTags(block.text))),
      ...languages,
      supplied: task.glossary,
      strategy: task.glossaryStrategy,
      extractTerms: (request, options) =>
        catalog.extractTerms(request, { account: task.accountId, task: task.id, ...options }),
      concurrency: deps.segmentConcurrency,
      signal,
      saved: await checkpoint.load(),
      save: (record) => checkpoint.save(record),
    });
    if (analysis.chunks > 0 && analysis.incompleteChunks === analysis.chunks)
      throw new BookTranslationError('NOTHING_EXTRACTED', 'No part of the text could be read.', { retryable: false });
    const warnings = extractionWarnings(analysis).map(warningView);
    return {
      deliveredCharacters: extractedCharacters(task, analysis),
      detectedLang: languages.detected,
      outputs: [],
      result: {
        terms: analysis.terms.map(termView),
        detected_language: languages.detected,
        ...(warnings.length > 0 ? { warnings } : {}),
      },
    };
  } catch (error) {
    throw error instanceof EngineError ? BookTranslationError.unavailable(error) : error;
  }
}

async function translate(run: Run, source: SourceFile): Promise<ActionOutcome> {
  const { deps, task, attempt, signal } = run;
  const { document, warnings } = await withSpan('read source', {}, () =>
    deps.sources.run<ReadResult>('readSource', source, signal),
  );
  const languages = await languagesOf(run, document);
  const earlier = reusableSegments(deps.db, task);
  const book = await translateBook({
    document,
    ...languages,
    glossary: task.glossary,
    strategy: task.glossaryStrategy,
    engines: bookEngines(run, languages),
    checkpoint: databaseCheckpoint(deps.db, task, attempt, {
      onSegment: () => deps.metrics.segmentsTranslated.inc(),
      paidBefore: earlier.paidBefore,
    }),
    reuse: earlier.find,
    concurrency: deps.segmentConcurrency,
    signal,
    onStage: (stage) => void saveProgress(deps.db, attempt, { stage }).catch(() => {}),
  });
  const shown = [
    ...sameLanguageWarning(languages),
    ...warnings.map(warningView),
    ...book.report.warnings.map(warningView),
  ];
  const report = {
    ...book.report,
    warnings: [...sameLanguageWarning(languages), ...warnings.map(warningView), ...book.report.warnings],
  };
  const outputs = await withSpan('write outputs', {}, () =>
    writeOutputs(deps, {
      task,
      attempt,
      source,
      texts: book.texts,
      terms: book.terms,
      report,
      ...languages,
      signal,
    }),
  );
  const { total, translated, kept, failed } = book.report.coverage;
  return {
    deliveredCharacters: book.report.delivered_characters,
    detectedLang: languages.detected,
    outputs,
    result: { coverage: { total, translated, kept, failed }, warnings: shown },
  };
}

interface Languages {
  sourceLang: string;
  targetLang: string;
  detected: string | undefined;
}

/** Declared by the partner, else detected, else what the book itself declares. Saved at once, for the next poll. */
async function languagesOf({ deps, task, attempt }: Run, document: Document): Promise<Languages> {
  const detected = (await detectLanguage(sampleOf(document)))?.code;
  const declaredInBook =
    document.declaredLanguage === undefined ? undefined : parseLanguage(document.declaredLanguage)?.tag;
  const found = detected ?? declaredInBook;
  if (found) await saveProgress(deps.db, attempt, { detectedLang: found });
  return { sourceLang: declaredSource(task) ?? found ?? 'und', targetLang: task.targetLang ?? 'en', detected: found };
}

function declaredSource(task: Task): string | undefined {
  return task.sourceLang === 'auto' ? undefined : task.sourceLang;
}

const sampleCharacters = 20_000;

function sampleOf(document: Document): string {
  let sample = '';
  for (const block of blocksOf(document)) {
    sample += `${stripInlineTags(block.text)}\n`;
    if (sample.length >= sampleCharacters) break;
  }
  return sample.slice(0, sampleCharacters);
}

function catalogOf({ deps, task }: Run): EngineCatalog {
  return task.sandbox ? deps.sandboxEngines : deps.engines;
}

function bookEngines(run: Run, pair: Languages): BookEngines {
  const catalog = catalogOf(run);
  const able = catalog.enginesFor(pair);
  if (able.length === 0)
    throw BookTranslationError.unavailable(new EngineError('rejected', 'no engine serves this language pair'));
  const caller = { account: run.task.accountId, task: run.task.id };
  return {
    // The first choice may fail over to the others; a second opinion asks exactly the engine it names.
    translate: (request, { engineIndex, signal }) =>
      catalog.translate(request, { ...caller, signal, ...(engineIndex === 0 ? {} : { engineIndex }) }),
    extractTerms: (request, { signal }) => catalog.extractTerms(request, { ...caller, signal }),
    capabilities: able.map((engine) => engine.capabilities),
    policy: able.map((engine) => `${engine.name}@${engine.revision}`).join(','),
  };
}

function sameLanguageWarning({ detected, targetLang }: Languages): { code: string; message: string }[] {
  const same = detected !== undefined && parseLanguage(detected)?.code === parseLanguage(targetLang)?.code;
  return same ? [{ code: 'SAME_LANGUAGE', message: 'The text seems to be in the target language already.' }] : [];
}

function warningView({ code, message, count }: DocumentWarning & { count?: number }): Record<string, unknown> {
  return { code, message, ...(count === undefined ? {} : { count }) };
}

function termView(term: Term): Record<string, unknown> {
  return {
    source: term.source,
    target: term.target,
    confidence: term.confidence,
    type: term.type,
    gender: term.gender,
    aliases: term.aliases,
    occurrences: term.occurrences,
  };
}
