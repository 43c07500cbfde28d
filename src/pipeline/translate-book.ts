/** A novel from document to translated blocks: analyse → freeze → segments in parallel → consistency → report. */
import type { Document } from '../documents/document.ts';
import { type EngineCapabilities, EngineError, type TermHint } from '../engines/engine.ts';
import type { GlossaryStrategy } from '../glossary/glossary.ts';
import type { Term } from '../glossary/term.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { type SpanAttributes, withSpan } from '../platform/tracing.ts';
import { type Analysis, analyseBook, type ExtractTerms } from './analyse-book.ts';
import { BookTranslationError } from './book-translation-error.ts';
import type { CheckContext } from './check.ts';
import type { Checkpoint, CheckpointRecord } from './checkpoint.ts';
import { reviseTerms, scoreTerms, type TranslatedUnit } from './consistency.ts';
import { runPool } from './pool.ts';
import { buildReport, type Report, type ReportInput, type ReportWarning, warningOf } from './report.ts';
import { planSegments, type Segment } from './segment.ts';
import { segmentKey } from './segment-key.ts';
import type { SegmentWork } from './segment-request.ts';
import { type ExpectedEntry, type FrozenTerms, freezeTerms, termsOf } from './term-hints.ts';
import { type SegmentOutcome, type Translate, translateSegment } from './translate-segment.ts';
import { assembleBlock, type Unit } from './units.ts';

export interface BookEngines {
  translate: Translate;
  /** Absent when no engine can find terms. */
  extractTerms?: ExtractTerms;
  /** In order of preference. */
  capabilities: readonly EngineCapabilities[];
  /** Changes when the same request may be answered differently; part of segment keys. */
  policy: string;
}

export interface BookInput {
  document: Document;
  sourceLang: string;
  targetLang: string;
  glossary: readonly Term[];
  strategy: GlossaryStrategy;
  style?: string;
  engines: BookEngines;
  checkpoint: Checkpoint;
  /** Outcomes of the same account's earlier tasks by segment key. */
  reuse?: (keys: readonly string[]) => Promise<ReadonlyMap<string, SegmentOutcome>>;
  checks?: Pick<CheckContext, 'detectLanguage' | 'canary'>;
  concurrency: number;
  signal: AbortSignal;
  onStage?: (stage: 'preparing' | 'translating' | 'finalizing') => void;
  /** Characters whose segments are committed; never falls. */
  onProgress?: (doneCharacters: number, totalCharacters: number) => void;
  /** Above this share of failed characters the task fails. */
  maxFailedShare?: number;
}

export interface BookResult {
  /** Every block of the document. */
  texts: Map<string, string>;
  terms: readonly Term[];
  report: Report;
  usage: SegmentOutcome['usage'];
}

/** @throws BookTranslationError, the signal's reason */
export async function translateBook(input: BookInput): Promise<BookResult> {
  const saved = await input.checkpoint.load();
  input.onStage?.('preparing');
  const analysis = await withSpan('analyse book', { characters: input.document.textCharacters }, () =>
    analyse(input, saved),
  );
  const frozen = freezeTerms(analysis.terms, input.sourceLang);
  const plan = planSegments(input.document.sections, {
    language: input.sourceLang,
    maxInputCharacters: Math.min(...input.engines.capabilities.map((engine) => engine.maxInputCharacters)),
  });
  const tasks = plan.segments.map((segment) => prepare(segment, input, analysis, frozen));
  input.onStage?.('translating');
  const { outcomes, reused } = await translateAll(tasks, input, saved);
  input.onStage?.('finalizing');
  const units = tasks.map((task) => translatedUnits(task, outcomes.get(task.key)));
  const revised = await reviseAll(tasks, units, input, saved);
  const result = assemble(input, tasks, units);
  const repairs = { ...sumRepairs(outcomes), revised, reused };
  const report = buildReport({
    document: input.document,
    sourceLang: input.sourceLang,
    targetLang: input.targetLang,
    keptBlocks: plan.kept,
    ...result.facts,
    terms: analysis.terms,
    scores: scoreTerms(units.flat(), input.targetLang),
    repairs,
    extraWarnings: [...extractionWarnings(analysis), ...duplicateWarnings(input.document, result.texts)],
  });
  failWhenTooMuchIsMissing(report, input, outcomes);
  return { texts: result.texts, terms: analysis.terms, report, usage: sumUsage(outcomes) };
}

/** A segment with everything its translation depends on. */
interface SegmentTask {
  segment: Segment;
  key: string;
  work: SegmentWork;
  expected: ReadonlyMap<string, readonly ExpectedEntry[]>;
}

async function analyse(input: BookInput, saved: readonly CheckpointRecord[]): Promise<Analysis> {
  try {
    return await analyseBook({
      sections: input.document.sections.map(({ blocks }) => blocks.map((block) => stripInlineTags(block.text))),
      sourceLang: input.sourceLang,
      targetLang: input.targetLang,
      supplied: input.glossary,
      strategy: input.strategy,
      extractTerms: input.engines.extractTerms,
      concurrency: input.concurrency,
      signal: input.signal,
      saved,
      save: (record) => input.checkpoint.save(record),
    });
  } catch (error) {
    throw error instanceof EngineError ? BookTranslationError.unavailable(error) : error;
  }
}

function prepare(segment: Segment, input: BookInput, analysis: Analysis, frozen: FrozenTerms): SegmentTask {
  const hints = new Map<string, readonly TermHint[]>();
  const expected = new Map<string, readonly ExpectedEntry[]>();
  const all = new Map<string, TermHint>();
  for (const unit of segment.units) {
    const terms = termsOf(stripInlineTags(unit.text), frozen);
    hints.set(unit.id, terms.hints);
    expected.set(unit.id, terms.expected);
    for (const hint of terms.hints) all.set(hint.source, hint);
  }
  const { sourceLang, targetLang, style } = input;
  const terms = [...all.values()];
  return {
    segment,
    key: segmentKey(segment, { enginePolicy: input.engines.policy, sourceLang, targetLang, terms, style }),
    work: {
      units: segment.units,
      before: segment.before,
      after: segment.after,
      hints,
      expected,
      roster: frozen.roster,
      synopsis: analysis.brief.synopsis,
      chapterDigest: analysis.brief.digests[segment.section] ?? '',
      style,
    },
    expected,
  };
}

// This many segments in a row without one success is an outage, not bad luck.
const outageAfter = 8;

async function translateAll(
  tasks: readonly SegmentTask[],
  input: BookInput,
  saved: readonly CheckpointRecord[],
): Promise<{ outcomes: Map<string, SegmentOutcome>; reused: number }> {
  const outcomes = new Map<string, SegmentOutcome>();
  const charactersByKey = new Map<string, number>();
  for (const { key, segment } of tasks) charactersByKey.set(key, (charactersByKey.get(key) ?? 0) + segment.characters);
  const total = tasks.reduce((sum, { segment }) => sum + segment.characters, 0);
  let done = 0;
  const settle = (key: string, outcome: SegmentOutcome): void => {
    outcomes.set(key, outcome);
    done += charactersByKey.get(key) ?? 0;
    input.onProgress?.(done, total);
  };
  for (const record of saved) {
    if (record.kind === 'segment' && charactersByKey.has(record.key)) settle(record.key, record.outcome);
  }
  const reused = await takeOver(tasks, input, outcomes, settle);
  // Identical segments are translated once.
  const waiting = new Map(tasks.filter(({ key }) => !outcomes.has(key)).map((task) => [task.key, task]));
  const longestFirst = [...waiting.values()].sort(
    (a, b) => b.segment.load - a.segment.load || a.segment.index - b.segment.index,
  );
  const again: SegmentTask[] = [];
  let failuresInARow = 0;
  const run = async (task: SegmentTask, signal: AbortSignal, last: boolean): Promise<void> => {
    const outcome = await withSpan('translate segment', segmentAttributes(task, input), async (span) => {
      const translated = await translateSegment(task.work, {
        translate: input.engines.translate,
        engines: input.engines.capabilities,
        checks: checksOf(input),
        signal,
      });
      const failed = translated.units.filter((unit) => unit.failure !== undefined).length;
      span.set({ calls: translated.repairs.calls, failed_units: failed });
      return translated;
    });
    const { unavailable, ...lasting } = outcome;
    if (unavailable === undefined) failuresInARow = 0;
    else if (++failuresInARow >= outageAfter) throw BookTranslationError.unavailable(unavailable);
    if (unavailable !== undefined && !last) {
      again.push(task);
      return;
    }
    // What an engine outage left behind is not committed: the next run of this task tries it again.
    if (unavailable === undefined) {
      await input.checkpoint.save({
        kind: 'segment',
        key: task.key,
        characters: task.segment.characters,
        outcome: lasting,
      });
    }
    settle(task.key, outcome);
  };
  await runPool(longestFirst, input, (task, signal) => run(task, signal, false));
  await runPool(again, input, (task, signal) => run(task, signal, true));
  return { outcomes, reused };
}

function segmentAttributes({ segment }: SegmentTask, { sourceLang, targetLang }: BookInput): SpanAttributes {
  return {
    segment: segment.index,
    section: segment.section,
    units: segment.units.length,
    characters: segment.characters,
    source_lang: sourceLang,
    target_lang: targetLang,
  };
}

async function takeOver(
  tasks: readonly SegmentTask[],
  input: BookInput,
  outcomes: ReadonlyMap<string, SegmentOutcome>,
  settle: (key: string, outcome: SegmentOutcome) => void,
): Promise<number> {
  const byKey = new Map(tasks.map((task) => [task.key, task]));
  const wanted = [...byKey.keys()].filter((key) => !outcomes.has(key));
  if (input.reuse === undefined || wanted.length === 0) return 0;
  let reused = 0;
  for (const [key, outcome] of await input.reuse(wanted)) {
    const task = byKey.get(key);
    const whole =
      outcome.units.length === task?.segment.units.length && outcome.units.every((unit) => unit.failure === undefined);
    if (task === undefined || !whole || outcomes.has(key)) continue;
    await input.checkpoint.save({ kind: 'segment', key, characters: task.segment.characters, outcome });
    settle(key, outcome);
    reused++;
  }
  return reused;
}

interface BookUnit extends TranslatedUnit {
  outcome: SegmentOutcome['units'][number];
}

function translatedUnits(task: SegmentTask, outcome: SegmentOutcome | undefined): BookUnit[] {
  return task.segment.units.map((unit, i) => {
    const own = outcome?.units[i] ?? { text: unit.text, failure: 'failed_checks', faults: [] };
    return {
      unit,
      text: own.text,
      failed: own.failure !== undefined,
      expected: task.expected.get(unit.id) ?? [],
      outcome: own,
    };
  });
}

/** The consistency pass; changes the texts in `units`. */
async function reviseAll(
  tasks: readonly SegmentTask[],
  units: BookUnit[][],
  input: BookInput,
  saved: readonly CheckpointRecord[],
): Promise<number> {
  const [engine] = input.engines.capabilities;
  if (engine === undefined || !engine.followsInstructions) return 0;
  const done = new Map(saved.flatMap((record) => (record.kind === 'revision' ? [[record.key, record.texts]] : [])));
  const wanting = tasks
    .map((task, i) => ({ task, own: units[i] ?? [] }))
    .filter(({ own }) => scoreTerms(own, input.targetLang).some((score) => score.applied < score.paragraphs));
  // Identical segments have identical translations; the first one's revision serves all of them.
  const byKey = Map.groupBy(wanting, ({ task }) => task.key);
  let revised = 0;
  await runPool(byKey.values(), input, async ([first, ...others], signal) => {
    if (first === undefined) return;
    const tools = { translate: input.engines.translate, engine, checks: checksOf(input), signal };
    let texts = done.get(first.task.key);
    if (texts === undefined) {
      const fresh = await withSpan('revise segment', segmentAttributes(first.task, input), () =>
        reviseTerms(first.task.work, first.own, tools),
      );
      if (fresh === undefined) return;
      const position = new Map(first.own.map(({ unit }, i) => [unit.id, String(i)]));
      texts = Object.fromEntries([...fresh].map(([id, text]) => [position.get(id) ?? '', text]));
      await input.checkpoint.save({ kind: 'revision', key: first.task.key, texts });
    }
    for (const { own } of [first, ...others]) {
      for (const [position, text] of Object.entries(texts)) {
        const unit = own[Number(position)];
        if (unit === undefined) continue;
        unit.text = text;
        revised++;
      }
    }
  });
  return revised;
}

function checksOf(input: BookInput): CheckContext {
  return { sourceLang: input.sourceLang, targetLang: input.targetLang, ...input.checks };
}

function assemble(
  input: BookInput,
  tasks: readonly SegmentTask[],
  units: readonly BookUnit[][],
): { texts: Map<string, string>; facts: Pick<ReportInput, 'failures' | 'flagged'> } {
  const byBlock = new Map<string, { units: Unit[]; texts: string[] }>();
  const failures: ReportInput['failures'][number][] = [];
  const flagged: ReportInput['flagged'][number][] = [];
  for (const [i, { segment }] of tasks.entries()) {
    for (const { unit, text, outcome } of units[i] ?? []) {
      const { blockId, characters } = unit;
      const entry = byBlock.get(blockId) ?? { units: [], texts: [] };
      byBlock.set(blockId, entry);
      entry.units.push(unit);
      entry.texts.push(text);
      if (outcome.failure !== undefined)
        failures.push({ blockId, section: segment.section, characters, reason: outcome.failure });
      else if (outcome.faults.length > 0) flagged.push({ blockId, faults: outcome.faults });
    }
  }
  const texts = new Map<string, string>();
  for (const { blocks } of input.document.sections) {
    for (const block of blocks) {
      const own = byBlock.get(block.id);
      texts.set(block.id, own === undefined ? block.text : assembleBlock(own.units, own.texts, input.targetLang));
    }
  }
  return { texts, facts: { failures, flagged } };
}

function failWhenTooMuchIsMissing(
  report: Report,
  input: BookInput,
  outcomes: ReadonlyMap<string, SegmentOutcome>,
): void {
  const { failed, total } = report.coverage;
  if (failed <= total * (input.maxFailedShare ?? 0.05)) return;
  for (const { unavailable } of outcomes.values())
    if (unavailable !== undefined) throw BookTranslationError.unavailable(unavailable);
  throw new BookTranslationError('TOO_MUCH_FAILED', `${failed} of ${total} characters could not be translated.`, {
    retryable: false,
  });
}

function extractionWarnings({ incompleteChunks }: Analysis): ReportWarning[] {
  if (incompleteChunks === 0) return [];
  const message = 'Names and terms could not be collected from every part of the book.';
  return [{ code: 'EXTRACTION_INCOMPLETE', message, count: incompleteChunks, block_ids: [] }];
}

/** Neighbours with different sources and the same translation: a paragraph is there twice and another one is lost. */
function duplicateWarnings(document: Document, texts: ReadonlyMap<string, string>): ReportWarning[] {
  const found: string[] = [];
  let before: { source: string; text: string } | undefined;
  for (const { blocks } of document.sections) {
    for (const block of blocks) {
      const text = texts.get(block.id) ?? '';
      if (before !== undefined && text.length >= 20 && before.text === text && before.source !== block.text)
        found.push(block.id);
      before = { source: block.text, text };
    }
  }
  return found.length === 0
    ? []
    : [
        warningOf(
          'REPEATED_PARAGRAPH',
          'Neighbouring paragraphs with different sources have the same translation.',
          found,
        ),
      ];
}

function sumRepairs(outcomes: ReadonlyMap<string, SegmentOutcome>): SegmentOutcome['repairs'] {
  const sum = {
    calls: 0,
    retried: 0,
    split: 0,
    single: 0,
    sentences: 0,
    otherEngine: 0,
    tagsProjected: 0,
    tagsApproximated: 0,
  };
  for (const { repairs } of outcomes.values()) {
    for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += repairs[key];
  }
  return sum;
}

function sumUsage(outcomes: ReadonlyMap<string, SegmentOutcome>): SegmentOutcome['usage'] {
  const sum = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
  for (const { usage } of outcomes.values()) {
    sum.inputTokens += usage.inputTokens;
    sum.outputTokens += usage.outputTokens;
    sum.cachedInputTokens += usage.cachedInputTokens;
  }
  return sum;
}
