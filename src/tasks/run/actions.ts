/** What each action does between taking a task and ending it. */
import type { DocumentWarning } from '../../documents/document.ts';
import type { DocumentMetadata } from '../../documents/metadata.ts';
import type { JudgedSource, SourceFile } from '../../documents/source-jobs.ts';
import type { EngineCatalog } from '../../engines/catalog.ts';
import { EngineError } from '../../engines/engine.ts';
import { stripInlineTags } from '../../inline-tags.ts';
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
import type { ActionOutcome } from './action-outcome.ts';
import { type Attempt, saveProgress } from './attempt-store.ts';
import { type BookLanguages, bookLanguages, declaredSource, refuseSameLanguage } from './book-languages.ts';
import { databaseCheckpoint, reusableSegments } from './checkpoint-store.ts';
import type { SourceEstimate } from './estimate-source.ts';
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
  const { detected, warnings } = bookLanguages(task, found);
  return {
    deliveredCharacters: 0,
    detectedLang: detected,
    outputs: [],
    result: {
      detected_language: detected ?? 'und',
      total_characters: found.totalCharacters,
      estimated_tokens: found.estimatedTokens,
      token_estimate: {
        input_tokens: found.inputTokens,
        output_tokens_low: found.outputTokens.low,
        output_tokens_high: found.outputTokens.high,
        segments: found.segments,
      },
      ...shownWarnings(warnings),
    },
  };
}

async function describe({ deps, task, signal }: Run, source: SourceFile): Promise<ActionOutcome> {
  const metadata = await deps.sources.run<DocumentMetadata>('describeSource', source, signal);
  const { detected_language: code, detected_language_confidence: confidence } = metadata;
  const { detected, warnings } = bookLanguages(task, {
    language: code === null || confidence === null ? undefined : { code, confidence },
    declaredInBook: metadata.declared_language,
  });
  return {
    deliveredCharacters: 0,
    detectedLang: detected,
    outputs: [],
    result: {
      detected_language: detected ?? 'und',
      metadata: { ...metadata, file_name: task.fileName },
      ...shownWarnings(warnings),
    },
  };
}

async function extractGlossary(run: Run, source: SourceFile): Promise<ActionOutcome> {
  const { deps, task, attempt, signal } = run;
  const judged = await deps.sources.run<JudgedSource>('readJudgedSource', source, signal);
  const languages = await languagesOf(run, judged);
  const { sourceLang, targetLang, detected } = languages;
  const checkpoint = databaseCheckpoint(deps.db, task, attempt);
  const catalog = catalogOf(run);
  try {
    const analysis = await analyseBook({
      sections: judged.document.sections.map(({ blocks }) => blocks.map((block) => stripInlineTags(block.text))),
      sourceLang,
      targetLang,
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
    const warnings = [...languages.warnings, ...extractionWarnings(analysis).map(warningView)];
    return {
      deliveredCharacters: extractedCharacters(task, analysis),
      detectedLang: detected,
      outputs: [],
      result: {
        terms: analysis.terms.map(termView),
        detected_language: detected ?? 'und',
        ...(warnings.length > 0 ? { warnings } : {}),
      },
    };
  } catch (error) {
    throw error instanceof EngineError ? BookTranslationError.unavailable(error) : error;
  }
}

async function translate(run: Run, source: SourceFile): Promise<ActionOutcome> {
  const { deps, task, attempt, signal } = run;
  const judged = await withSpan('read source', {}, () =>
    deps.sources.run<JudgedSource>('readJudgedSource', source, signal),
  );
  const languages = await languagesOf(run, judged);
  const { sourceLang, targetLang, detected, contradicting } = languages;
  const earlier = reusableSegments(deps.db, task);
  const book = await translateBook({
    document: judged.document,
    sourceLang,
    targetLang,
    contradictingLang: contradicting,
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
  const aboutSource = [...languages.warnings, ...judged.warnings.map(warningView)];
  const shown = [...aboutSource, ...book.report.warnings.map(warningView)];
  const report = { ...book.report, warnings: [...aboutSource, ...book.report.warnings] };
  const outputs = await withSpan('write outputs', {}, () =>
    writeOutputs(deps, {
      task,
      attempt,
      source,
      texts: book.texts,
      terms: book.terms,
      report,
      sourceLang,
      targetLang,
      signal,
    }),
  );
  const { total, translated, kept, failed } = book.report.coverage;
  return {
    deliveredCharacters: book.report.delivered_characters,
    detectedLang: detected,
    outputs,
    result: { coverage: { total, translated, kept, failed }, warnings: shown },
  };
}

/** Saved at once, for the next poll. */
async function languagesOf({ deps, task, attempt }: Run, source: JudgedSource): Promise<BookLanguages> {
  const found = { language: source.language, declaredInBook: source.document.declaredLanguage };
  const languages = bookLanguages(task, found);
  if (languages.detected !== undefined) await saveProgress(deps.db, attempt, { detectedLang: languages.detected });
  refuseSameLanguage(task, found, languages);
  return languages;
}

function catalogOf({ deps, task }: Run): EngineCatalog {
  return task.sandbox ? deps.sandboxEngines : deps.engines;
}

function bookEngines(run: Run, pair: BookLanguages): BookEngines {
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

function shownWarnings(warnings: BookLanguages['warnings']): { warnings?: BookLanguages['warnings'] } {
  return warnings.length === 0 ? {} : { warnings };
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
