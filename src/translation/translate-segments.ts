import { setImmediate as nextTurn } from 'node:timers/promises';
import { inlineTagsOf } from '../inline-tags.ts';
import { withSpan } from '../platform/tracing.ts';
import { type BookInput, checksOf, mayFail, type SegmentTask, segmentAttributes } from './book.ts';
import { BookTranslationError } from './book-translation-error.ts';
import { CallBudget } from './call-budget.ts';
import type { CheckpointRecord } from './checkpoint.ts';
import { FinishedBlocks } from './finished-blocks.ts';
import type { BookPlan, StagedPlan } from './plan-book.ts';
import { runPool } from './pool.ts';
import type { SegmentOutcome } from './segment-outcome.ts';
import { noRepairs, translateSegment } from './translate-segment.ts';

// This many segments in a row without one success is an outage, not bad luck.
const outageAfter = 8;

export interface SegmentHooks {
  /** Runs beside the first calls, so that no slot waits for it, and has ended before the first segment is committed. */
  tellPlan?(plan: BookPlan): Promise<void>;
  onSettled?(key: string, outcome: SegmentOutcome, plan: BookPlan): void;
}

/**
 * Every segment once, from the front; what earlier runs of the task have is taken over. The opening is sent before the whole plan is
 * there, and nothing is committed before.
 */
export async function translateSegments(
  { opening, whole }: StagedPlan,
  input: BookInput,
  saved: readonly CheckpointRecord[],
  hooks: SegmentHooks = {},
): Promise<Map<string, SegmentOutcome>> {
  const outcomes = new Map<string, SegmentOutcome>();
  const charactersByKey = new Map<string, number>();
  const occurrences = new Map<string, number>();
  let finished: FinishedBlocks | undefined;
  let total = 0;
  let done = 0;
  let failed = 0;
  const settle = (key: string, outcome: SegmentOutcome, plan: BookPlan): void => {
    outcomes.set(key, outcome);
    done += charactersByKey.get(key) ?? 0;
    input.onProgress?.(done, total);
    hooks.onSettled?.(key, outcome, plan);
  };
  const planned = whole.then((plan) => {
    for (const { key, segment } of plan.tasks) {
      charactersByKey.set(key, (charactersByKey.get(key) ?? 0) + segment.characters);
      occurrences.set(key, (occurrences.get(key) ?? 0) + 1);
      total += segment.characters;
    }
    finished = new FinishedBlocks(plan.tasks);
    for (const record of saved) {
      if (record.kind !== 'segment' || !charactersByKey.has(record.key)) continue;
      finished.with(record.key, record.outcome);
      settle(record.key, record.outcome, plan);
    }
    return plan;
  });
  const inTurn = async function* (): AsyncGenerator<SegmentTask> {
    // Identical segments are translated once.
    const sent = new Set<string>();
    for (const task of opening) {
      if (sent.has(task.key)) continue;
      sent.add(task.key);
      yield task;
    }
    const { tasks } = await planned;
    const left = tasks.filter(({ key }) => !sent.has(key) && !outcomes.has(key));
    yield* inOrderOfWork([...new Map(left.map((task) => [task.key, task])).values()], input.concurrency);
  };
  const budget = new CallBudget();
  const again: SegmentTask[] = [];
  let failuresInARow = 0;
  const giveUpWhenHopeless = (task: SegmentTask, outcome: SegmentOutcome): void => {
    const characters = task.segment.units.reduce((sum, unit) => sum + unit.characters, 0);
    failed += (characters - translatedCharacters(task, outcome)) * (occurrences.get(task.key) ?? 1);
    // Nothing that is still to come can make this book deliverable, so no more calls are spent on it.
    if (failed > mayFail(input))
      throw budget.hopeless() ?? BookTranslationError.tooMuchFailed(failed, input.document.characters);
  };
  const run = async (task: SegmentTask, signal: AbortSignal, last: boolean): Promise<void> => {
    const outcome = await withSpan('translate segment', segmentAttributes(task, input), async (span) => {
      const translated = await translateSegment(task.work, {
        translate: input.engines.translate,
        engines: input.engines.capabilities,
        checks: checksOf(input),
        budget,
        declaredWrongly: input.contradictingLang !== undefined,
        signal,
      });
      const failedUnits = translated.units.filter((unit) => unit.failure !== undefined).length;
      span.set({ calls: translated.repairs.calls, failed_units: failedUnits });
      return translated;
    });
    const { unavailable, ...lasting } = outcome;
    if (unavailable === undefined) failuresInARow = 0;
    else if (unavailable.kind === 'unusable' || ++failuresInARow >= outageAfter)
      throw BookTranslationError.unavailable(unavailable);
    if (unavailable !== undefined && !last) {
      again.push(task);
      return;
    }
    // What an engine outage left behind is not committed: the next run of this task tries it again.
    const plan = await told;
    if (unavailable === undefined) {
      await input.checkpoint.save({
        kind: 'segment',
        key: task.key,
        characters: finished?.with(task.key, lasting) ?? 0,
        outcome: lasting,
      });
      giveUpWhenHopeless(task, lasting);
    }
    settle(task.key, outcome, plan);
  };
  const lanes = { signal: input.signal, concurrency: lanesFor(input.concurrency) };
  const first = runPool(inTurn(), lanes, (task, signal) => run(task, signal, false));
  const told = planned.then(async (plan) => {
    // The calls that are ready go first.
    await nextTurn();
    await hooks.tellPlan?.(plan);
    return plan;
  });
  // Also when nothing is committed any more, a plan that cannot be told ends the run below.
  told.catch(() => {});
  await first;
  await told;
  await runPool(again, lanes, (task, signal) => run(task, signal, true));
  return outcomes;
}

/** More than the calls in flight: while an answer is checked and committed, the next call is ready for its slot. */
function lanesFor(concurrency: number): number {
  return concurrency + Math.ceil(concurrency / 4);
}

/**
 * From the front, so that chapters can be read, and written, early. What is left for the end goes longest first, so that no lane is
 * left with a long one when all others are done.
 */
export function inOrderOfWork<T extends Pick<SegmentTask, 'segment'>>(tasks: readonly T[], lanes: number): T[] {
  const inOrder = tasks.toSorted((a, b) => a.segment.index - b.segment.index);
  const opening = inOrder.findIndex(({ segment }) => segment.section !== inOrder[0]?.segment.section);
  const from = Math.max(opening, inOrder.length - lanes * tailPerLane);
  const tail = opening < 0 ? [] : inOrder.splice(from);
  return [...inOrder, ...tail.sort((a, b) => answerOf(b) - answerOf(a) || a.segment.index - b.segment.index)];
}

/**
 * How long its answer will be: every line has a number and quotation marks around it, and a contents page is nothing but lines. Inline tags are no part
 * of the load, and half of what a colophon full of names in italics is answered with.
 */
function answerOf({ segment: { load, units } }: Pick<SegmentTask, 'segment'>): number {
  const tags = units.reduce((sum, { text }) => sum + inlineTagsOf(text).length, 0);
  return load + units.length * tokensPerLine + tags * tokensPerTag;
}

const tokensPerLine = 4;
const tokensPerTag = 3;

/** The end is cut finer than the rest, so little is left to be ordered: with 1 the whole takes as long as with 8 (`bench/chapters.ts`). */
const tailPerLane = 1;

/** Without passages that were left in the source language. */
function translatedCharacters({ segment }: SegmentTask, { units }: SegmentOutcome): number {
  return segment.units.reduce((sum, unit, i) => (units[i]?.failure === undefined ? sum + unit.characters : sum), 0);
}

export function sumRepairs(outcomes: ReadonlyMap<string, SegmentOutcome>): SegmentOutcome['repairs'] {
  const sum = noRepairs();
  for (const { repairs } of outcomes.values()) {
    for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += repairs[key];
  }
  return sum;
}

export function sumUsage(outcomes: ReadonlyMap<string, SegmentOutcome>): SegmentOutcome['usage'] {
  const sum = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
  for (const { usage } of outcomes.values()) {
    sum.inputTokens += usage.inputTokens;
    sum.outputTokens += usage.outputTokens;
    sum.cachedInputTokens += usage.cachedInputTokens;
  }
  return sum;
}
