/** A novel from document to translated blocks: recall and analyse → freeze → segments in runs side by side → consistency → editing → report. */
import { blocksOf } from '../documents/document.ts';
import type { TaskQuality, TranslationQuality } from '../engines/engine.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { withSpan } from '../platform/tracing.ts';
import type { Term } from '../term.ts';
import { extractionWarnings } from './analyse-book.ts';
import { assembleBook, type BookUnit, duplicateWarnings, putTexts, translatedUnits } from './assemble-book.ts';
import { type BookInput, checksOf, mayFail, type SegmentTask, segmentAttributes } from './book.ts';
import { BookTranslationError } from './book-translation-error.ts';
import { type CheckpointRecord, revisionsIn } from './checkpoint.ts';
import { missedTerms } from './checks/expected-term.ts';
import { reviseTerms, scoreTerms } from './consistency.ts';
import { editBook } from './edit-book.ts';
import type { Editing } from './editing.ts';
import type { BlockPlace } from './memory/block-keys.ts';
import type { Grade } from './memory/choose.ts';
import type { Recalled } from './memory/recall.ts';
import { type NewMemory, newMemories, paidPlaces } from './memory/remember.ts';
import { reusedOf } from './memory/reused.ts';
import { planBook } from './plan-book.ts';
import { runPool } from './pool.ts';
import { prepareBook } from './prepare-book.ts';
import { buildReport, type Report, type ReportWarning, warningOf } from './report.ts';
import { mendSeams } from './seams.ts';
import { type SegmentOutcome, sumRepairs, sumUsage } from './segment-outcome.ts';
import type { Sheet } from './sheet.ts';
import { type FrozenTerms, termsOf } from './term-hints.ts';
import { translateSegments } from './translate-segments.ts';

export interface BookResult {
  /** Every block of the document. */
  texts: Map<string, string>;
  terms: readonly Term[];
  report: Report;
  usage: SegmentOutcome['usage'];
  /** What later tasks may take over. */
  memories: NewMemory[];
  /** Remembered places that the task pays for once more. */
  paidPlaces: BlockPlace[];
  synopsis: string;
  /** What the book was translated by. */
  sheet: Sheet | undefined;
}

/** A book that nobody wants any more is ended with its process. @throws BookTranslationError */
export async function translateBook(input: BookInput): Promise<BookResult> {
  const saved = await input.checkpoint.load();
  input.onStage?.('preparing');
  const { analysis, frozen, keys, recalled, brief, sheet } = await prepareBook(input, saved);
  const plan = planBook({ input, analysis, frozen, brief, recalled });
  const { tasks, kept } = plan;
  input.onStage?.('translating');
  const outcomes = await translateSegments(plan, input, saved);
  input.onStage?.('finalizing');
  const units = tasks.map((task) => translatedUnits(task, outcomes.get(task.key)));
  const missed = await reviseAll(tasks, units, input, saved);
  const book = { tasks, runs: plan.runs, units };
  const mended = await mendSeams(book, sheet, input, saved);
  const editing = await editBook(book, input, saved);
  const result = assembleBook(input.document, input.targetLang, tasks, units, recalled);
  const failed = new Set(result.facts.failures.map(({ blockId }) => blockId));
  const grades = gradesOf(tasks, outcomes);
  const memories = newMemories(keys, result.texts, recalled, failed, grades);
  const repairs = { ...sumRepairs(outcomes), revised: missed + mended, reused: recalled.size };
  const quality = refinedQuality(leastQuality(outcomes, recalled), editing, input);
  const report = buildReport({
    quality,
    sheet,
    editing,
    document: input.document,
    sourceLang: input.sourceLang,
    targetLang: input.targetLang,
    keptBlocks: kept,
    reused: reusedOf(input.document, (blockId) => recalled.get(blockId)?.free === true),
    ...result.facts,
    terms: analysis.terms,
    scores: scoreTerms(units.flat(), input.targetLang),
    repairs,
    extraWarnings: [
      ...draftWarnings(quality),
      ...extractionWarnings(analysis),
      ...correctionWarnings(input, recalled, frozen),
      ...duplicateWarnings(input.document, result.texts),
    ],
  });
  failWhenTooMuchIsMissing(report, input, outcomes);
  const { synopsis } = analysis.brief;
  return {
    texts: result.texts,
    terms: analysis.terms,
    report,
    usage: sumUsage(outcomes),
    memories,
    paidPlaces: paidPlaces(recalled),
    synopsis,
    sheet,
  };
}

/** The consistency pass; changes the texts in `units`. */
async function reviseAll(
  tasks: readonly SegmentTask[],
  units: BookUnit[][],
  input: BookInput,
  saved: readonly CheckpointRecord[],
): Promise<number> {
  const { translate, capabilities } = input.engines;
  const [engine] = capabilities;
  if (engine === undefined) return 0;
  const checks = checksOf(input);
  const done = revisionsIn(saved);
  const wanting = tasks
    .map((task, i) => ({ task, own: units[i] ?? [], textBefore: units[i - 1]?.at(-1)?.text ?? '' }))
    .filter(({ own, textBefore }) =>
      scoreTerms(own, input.targetLang, textBefore).some((score) => score.applied < score.paragraphs),
    );
  // Identical segments have identical translations; the first one's revision serves all of them.
  const byKey = Map.groupBy(wanting, ({ task }) => task.key);
  let revised = 0;
  await runPool(byKey.values(), input, async ([first, ...others], signal) => {
    if (first === undefined) return;
    const { task, own, textBefore } = first;
    let texts = done.get(task.key);
    if (texts === undefined) {
      texts = await withSpan('revise segment', segmentAttributes(task, input), () =>
        reviseTerms(task.work, own, { translate, checks, engine, textBefore, signal }),
      );
      if (texts === undefined) return;
      await input.checkpoint.save({ kind: 'revision', key: task.key, texts });
    }
    for (const each of [first, ...others]) revised += putTexts(each.own, texts);
  });
  return revised;
}

function failWhenTooMuchIsMissing(
  report: Report,
  input: BookInput,
  outcomes: ReadonlyMap<string, SegmentOutcome>,
): void {
  const { failed, total } = report.coverage;
  if (failed <= mayFail(input)) return;
  for (const { unavailable } of outcomes.values())
    if (unavailable !== undefined) throw BookTranslationError.unavailable(unavailable);
  throw BookTranslationError.tooMuchFailed(failed, total);
}

export function leastQuality(outcomes: ReadonlyMap<string, SegmentOutcome>, recalled: Recalled): TranslationQuality {
  const qualities = new Set<string | undefined>([...outcomes.values()].map(({ quality }) => quality));
  for (const { grade } of recalled.values()) qualities.add(grade);
  return qualities.has('sandbox') ? 'sandbox' : qualities.has('draft') ? 'draft' : 'standard';
}

/** Refined is what an editor has read, but for as little as may be left untranslated. */
function refinedQuality(quality: TranslationQuality, editing: Editing | undefined, input: BookInput): TaskQuality {
  const isRead = editing !== undefined && editing.readCharacters > 0 && editing.unreadCharacters <= mayFail(input);
  return quality === 'standard' && isRead ? 'refined' : quality;
}

function gradesOf(
  tasks: readonly SegmentTask[],
  outcomes: ReadonlyMap<string, SegmentOutcome>,
): (blockId: string) => Grade {
  const grades = new Map<string, Grade>();
  for (const { segment, key } of tasks) {
    const quality = outcomes.get(key)?.quality;
    if (quality !== undefined) for (const { blockId } of segment.units) grades.set(blockId, quality);
  }
  return (blockId) => grades.get(blockId) ?? 'translated';
}

/** A correction stands, whatever the glossary says since; the partner should know where the two differ. */
function correctionWarnings(input: BookInput, recalled: Recalled, frozen: FrozenTerms): ReportWarning[] {
  const differing: string[] = [];
  for (const block of blocksOf(input.document)) {
    const remembered = recalled.get(block.id);
    if (remembered?.grade !== 'corrected') continue;
    const { expected } = termsOf(stripInlineTags(block.text), frozen);
    const ordered = expected.filter(({ term }) => term.origin === 'supplied');
    if (missedTerms(stripInlineTags(remembered.text), ordered, input.targetLang).length > 0) differing.push(block.id);
  }
  const message = 'A corrected paragraph was kept although a supplied term asks for another rendering.';
  return differing.length === 0 ? [] : [warningOf('TERM_DIFFERS_IN_CORRECTION', message, differing)];
}

function draftWarnings(quality: TaskQuality): ReportWarning[] {
  if (quality !== 'draft') return [];
  const message =
    'This is a draft by the engine that comes with the service: read it beside the source before you use it.';
  return [{ code: 'DRAFT_ENGINE', message, count: 1, block_ids: [] }];
}
