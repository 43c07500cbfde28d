/** What each action does between taking a task and ending it: the work itself is done by a process of its own. */

import type { SourceFile } from '../documents/source-jobs.ts';
import type { EngineCatalog } from '../engines/catalog.ts';
import type { EventQueue } from '../events/record-event.ts';
import type { Platform } from '../platform/platform.ts';
import { withSpan } from '../platform/tracing.ts';
import { jobModule } from '../sandbox/job-module.ts';
import type { JobOptions, Sandbox } from '../sandbox/sandbox.ts';
import type { Attempt } from '../tasks/attempt.ts';
import { usualOutputs } from '../tasks/output-files.ts';
import { extractedCharacters } from '../tasks/price.ts';
import { rangeOf, type SourceFiles, sourceJobs } from '../tasks/source-files.ts';
import type { Task } from '../tasks/task.ts';
import { bookBudget, readBudget, weightOf } from '../tasks/work-budget.ts';
import type { Term } from '../term.ts';
import { BookTranslationError } from '../translation/book-translation-error.ts';
import type { ActionOutcome } from './action-outcome.ts';
import type { BookJob, BookOutcome } from './book-jobs.ts';
import { type BookLanguages, bookLanguages, declaredSource } from './book-languages.ts';
import { BookWrites } from './book-writes.ts';
import { serveBook } from './serve-book.ts';
import { OutputStore } from './store-outputs.ts';
import type { WeightGate } from './weight-gate.ts';

export interface ActionDependencies extends Pick<Platform, 'db' | 'storage' | 'metrics'> {
  queue: EventQueue;
  sources: SourceFiles;
  sandbox: Sandbox;
  /** Texts that are worked on at once, by their size. */
  gate: WeightGate;
  engines: EngineCatalog;
  /** Serves sandbox keys whatever is configured. */
  sandboxEngines: EngineCatalog;
  /** Segments of one task in flight; the engines' own limits decide how many really run. */
  segmentConcurrency: number;
  segmentOrder: 'runs' | 'free';
}

export const bookJobs = jobModule<typeof import('./book-jobs.ts')>(new URL('./book-jobs.ts', import.meta.url));

interface Run {
  deps: ActionDependencies;
  task: Task;
  attempt: Attempt;
  signal: AbortSignal;
  source: SourceFile;
  folder: string;
  writes: BookWrites;
  outputs: OutputStore;
}

export async function performAction(
  deps: ActionDependencies,
  task: Task,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<ActionOutcome> {
  const options = { ...rangeOf(task), signal };
  return await deps.sources.withSource(task.sourceKey ?? '', options, async (source, folder) => {
    const writes = new BookWrites({ deps, task, attempt });
    const outputs = new OutputStore({ deps, task, attempt, folder, signal });
    try {
      return await perform({ deps, task, attempt, signal, source, folder, writes, outputs });
    } finally {
      await writes.close();
      // The caller that removes what was stored must not be overtaken.
      await outputs.all().catch(() => {});
    }
  });
}

function perform(run: Run): Promise<ActionOutcome> {
  switch (run.task.action) {
    case 'token_estimate':
      return estimate(run);
    case 'preview_metadata':
      return describe(run);
    case 'glossary_extraction':
      return admitted(run, extractGlossary);
    case 'translation':
    case 'preview_translation':
      return admitted(run, translate);
  }
}

/** Twelve novels fit into the memory of a worker, twelve texts of the largest size do not. */
async function admitted(run: Run, work: (run: Run) => Promise<ActionOutcome>): Promise<ActionOutcome> {
  const weight = weightOf(run.source, run.task.charCount);
  return weight === 0 ? await work(run) : await run.deps.gate.pass(weight, run.signal, () => work(run));
}

async function estimate(run: Run): Promise<ActionOutcome> {
  const { deps, task, source, signal } = run;
  const job = { ...orderOf(task), source, sourceLang: declaredSource(task), targetLang: task.targetLang };
  const budget = { ...readBudget(source), owner: task.accountId, startsAtOnce: true, signal };
  const options = { ...budget, host: serveBook(run) };
  const estimate = await deps.sandbox.run(bookJobs, 'estimateSource', job, options);
  const { detected, warnings } = bookLanguages(task, estimate);
  return {
    deliveredCharacters: 0,
    detectedLang: detected,
    outputs: [],
    result: {
      detected_language: detected ?? 'und',
      total_characters: estimate.totalCharacters,
      ...(estimate.reusedCharacters === undefined
        ? {}
        : {
            billable_characters: estimate.characters - estimate.reusedCharacters,
            reused_characters: estimate.reusedCharacters,
          }),
      estimated_tokens: estimate.estimatedTokens,
      token_estimate: {
        input_tokens: estimate.inputTokens,
        output_tokens_low: estimate.outputTokens.low,
        output_tokens_high: estimate.outputTokens.high,
        segments: estimate.segments,
      },
      ...shownWarnings(warnings),
    },
  };
}

async function describe({ deps, task, source, signal }: Run): Promise<ActionOutcome> {
  const options = { ...readBudget(source), owner: task.accountId, signal };
  const metadata = await deps.sandbox.run(sourceJobs, 'describeSource', source, options);
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

async function extractGlossary(run: Run): Promise<ActionOutcome> {
  const { deps, task } = run;
  const options = { ...bookOptions(run), host: serveBook(run) };
  const glossary = doneOr(await deps.sandbox.run(bookJobs, 'extractGlossary', bookJobOf(run), options));
  const { terms, detectedLang, warnings } = glossary;
  return {
    deliveredCharacters: extractedCharacters(task, glossary),
    detectedLang,
    outputs: [],
    result: {
      terms: terms.map(termView),
      detected_language: detectedLang ?? 'und',
      ...shownWarnings(warnings),
    },
  };
}

async function translate(run: Run): Promise<ActionOutcome> {
  const { deps, outputs } = run;
  const learned = { memories: [], paidPlaces: [] };
  const options = { ...bookOptions(run), host: serveBook(run, learned) };
  const book = doneOr(await deps.sandbox.run(bookJobs, 'translateSource', bookJobOf(run), options));
  return {
    deliveredCharacters: book.deliveredCharacters,
    reusedCharacters: book.coverage.reused,
    detectedLang: book.detectedLang,
    outputs: await withSpan('store outputs', {}, () => outputs.all()),
    ...learned,
    synopsis: book.synopsis,
    sheet: book.sheet,
    result: { quality: book.quality, coverage: book.coverage, warnings: book.warnings },
  };
}

function bookOptions({ task, source, signal }: Run): JobOptions {
  return { ...bookBudget(source, task.charCount), owner: task.accountId, signal };
}

/** What the partner has ordered, as the work on a book takes it. */
export function orderOf(task: Task) {
  const { glossaryJson, glossaryStrategy: strategy, style, context, orderedTermsJson, acceptDraft } = task;
  return { glossaryJson, strategy, style, context, orderedTermsJson, acceptDraft };
}

export function filesOf({ id, createdAt: modifiedAt, outputs = [...usualOutputs] }: Task) {
  return { outputs, edition: { id, modifiedAt } };
}

function bookJobOf({ deps, task, source, folder }: Run): BookJob {
  return {
    ...orderOf(task),
    ...filesOf(task),
    source,
    folder,
    concurrency: deps.segmentConcurrency,
    order: deps.segmentOrder,
  };
}

/** @throws BookTranslationError */
export function doneOr<T>(outcome: BookOutcome<T>): T {
  if ('done' in outcome) return outcome.done;
  const { code, message, warnings, ...options } = outcome.failed;
  const error = new BookTranslationError(code, message, options);
  error.warnings = warnings;
  throw error;
}

function shownWarnings(warnings: BookLanguages['warnings']): { warnings?: BookLanguages['warnings'] } {
  return warnings.length === 0 ? {} : { warnings };
}

function termView({ source, target, confidence, type, gender, aliases, occurrences }: Term): Record<string, unknown> {
  return { source, target, confidence, type, gender, aliases, occurrences };
}
