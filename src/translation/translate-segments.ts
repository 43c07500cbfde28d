import { stripInlineTags } from '../inline-tags.ts';
import { withSpan } from '../platform/tracing.ts';
import { type BookInput, checksOf, mayFail, type SegmentTask, segmentAttributes } from './book.ts';
import { BookTranslationError } from './book-translation-error.ts';
import { CallBudget } from './call-budget.ts';
import type { CheckpointRecord } from './checkpoint.ts';
import { RunQueue, workOf } from './plan/runs.ts';
import { type Line, type Segment, translatedEndOf } from './plan/segment.ts';
import type { BookPlan } from './plan-book.ts';
import { runPool } from './pool.ts';
import type { SegmentOutcome, UnitOutcome } from './segment-outcome.ts';
import { translateSegment } from './translate-segment.ts';

// This many segments in a row without one success is an outage, not bad luck.
const outageAfter = 8;

/**
 * Every segment once, each with the end of what was translated before it. What earlier runs of the task have is taken over, so a run of
 * segments goes on behind its last finished one.
 */
export async function translateSegments(
  plan: BookPlan,
  input: BookInput,
  saved: readonly CheckpointRecord[],
): Promise<Map<string, SegmentOutcome>> {
  const { tasks } = plan;
  const outcomes = new Map<string, SegmentOutcome>();
  const byKey = Map.groupBy(tasks, ({ key }) => key);
  const finished = new FinishedBlocks(byKey);
  const lines = new LinesSoFar(plan.lines);
  const runStarts = new Map(plan.runs.flatMap((run) => run.map((task) => [task, run[0]?.segment.line])));
  const total = tasks.reduce((sum, { segment }) => sum + segment.characters, 0);
  let done = 0;
  let failed = 0;
  const settle = (key: string, outcome: SegmentOutcome): void => {
    outcomes.set(key, outcome);
    for (const { segment } of byKey.get(key) ?? []) {
      lines.add(segment, outcome.units.map(translationOf));
      done += segment.characters;
    }
    input.onProgress?.(done, total);
  };
  for (const record of saved) {
    if (record.kind !== 'segment' || !byKey.has(record.key)) continue;
    finished.with(record.key, record.outcome);
    settle(record.key, record.outcome);
  }
  const queue = new RunQueue(withoutRepeats(plan.runs, outcomes), { slots: input.concurrency, workOf });
  const budget = new CallBudget();
  const again: SegmentTask[] = [];
  let failuresInARow = 0;
  const giveUpWhenHopeless = (task: SegmentTask, outcome: SegmentOutcome): void => {
    const left = task.segment.units.filter((_, i) => outcome.units[i]?.failure !== undefined);
    failed += left.reduce((sum, { characters }) => sum + characters, 0) * (byKey.get(task.key)?.length ?? 1);
    // Nothing that is still to come can make this book deliverable, so no more calls are spent on it.
    if (failed > mayFail(input))
      throw budget.hopeless() ?? BookTranslationError.tooMuchFailed(failed, input.document.characters);
  };
  const run = async (task: SegmentTask, signal: AbortSignal, last: boolean): Promise<void> => {
    const outcome = await withSpan('translate segment', segmentAttributes(task, input), async (span) => {
      const before = lines.before(task.segment, runStarts.get(task));
      const work = before.length === 0 ? task.work : { ...task.work, translatedBefore: before };
      const translated = await translateSegment(work, {
        translate: input.engines.translate,
        engines: input.engines.capabilities,
        checks: checksOf(input),
        budget,
        declaredWrongly: input.contradictingLang !== undefined,
        // What follows need not wait for repairs: it is told the best answer so far.
        onRepair: (texts) => {
          if (texts.at(-1) === undefined) return;
          lines.add(task.segment, texts);
          queue.handOn(task);
        },
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
      lines.add(task.segment, outcome.units.map(translationOf));
      return;
    }
    // What an engine outage left behind is not committed: the next run of this task tries it again.
    if (unavailable === undefined) {
      await input.checkpoint.save({
        kind: 'segment',
        key: task.key,
        characters: finished.with(task.key, lasting),
        outcome: lasting,
      });
      giveUpWhenHopeless(task, lasting);
    }
    settle(task.key, outcome);
  };
  await input.onPlan?.(tasks, plan.recalled);
  await runPool(queue, input, async (task, signal) => {
    try {
      await run(task, signal, false);
      queue.handOn(task);
    } catch (error) {
      queue.end();
      throw error;
    }
  });
  await runPool(again, input, (task, signal) => run(task, signal, true));
  return outcomes;
}

/** Identical segments are translated once. */
function withoutRepeats(
  runs: readonly (readonly SegmentTask[])[],
  settled: ReadonlyMap<string, SegmentOutcome>,
): SegmentTask[][] {
  const sent = new Set(settled.keys());
  return runs.map((run) =>
    run.filter(({ key }) => {
      const isNew = !sent.has(key);
      sent.add(key);
      return isNew;
    }),
  );
}

function translationOf({ text, failure }: UnitOutcome): string | undefined {
  return failure === undefined ? text : undefined;
}

/**
 * Counts the paragraphs that are finished. A long paragraph may be cut into several segments. It can be delivered, and is charged when the
 * task is cancelled, once all of them are there. Passages that were left in the source language are not charged.
 */
class FinishedBlocks {
  readonly #tasks: ReadonlyMap<string, readonly SegmentTask[]>;
  readonly #blocks = new Map<string, { missingUnits: number; translated: number }>();

  /** @param tasks by their key */
  constructor(tasks: ReadonlyMap<string, readonly SegmentTask[]>) {
    this.#tasks = tasks;
    for (const { segment } of [...tasks.values()].flat())
      for (const { blockId } of segment.units)
        this.#blocks.getOrInsertComputed(blockId, () => ({ missingUnits: 0, translated: 0 })).missingUnits++;
  }

  /** Characters of the paragraphs that are finished with this segment. Each segment is told once, in the order of their records. */
  with(key: string, { units }: Pick<SegmentOutcome, 'units'>): number {
    let finished = 0;
    for (const { segment } of this.#tasks.get(key) ?? [])
      for (const [i, unit] of segment.units.entries()) {
        const block = this.#blocks.get(unit.blockId);
        if (block === undefined) continue;
        if (units[i]?.failure === undefined) block.translated += unit.characters;
        block.missingUnits--;
        if (block.missingUnits === 0) finished += block.translated;
      }
    return finished;
  }
}

/** The book line by line, as far as it is translated: what a passage is told of the text before it. */
class LinesSoFar {
  readonly #translations: (string | undefined)[];

  constructor(lines: readonly Line[]) {
    this.#translations = lines.map(({ translation }) => translation);
  }

  /** @param texts of the segment's units; undefined where there is no translation */
  add({ line }: Pick<Segment, 'line'>, texts: readonly (string | undefined)[]): void {
    for (const [i, text] of texts.entries())
      this.#translations[line + i] = text === undefined ? undefined : stripInlineTags(text);
  }

  /**
   * The last lines before a segment as they were translated; none where the very last one is not. From `runStart` on a stretch that an
   * engine could not be reached for is left out: its voice is known all the same.
   */
  before({ line }: Pick<Segment, 'line'>, runStart = line): string[] {
    const texts: string[] = [];
    let from = line - 1;
    while (from >= runStart && this.#translations[from] === undefined) from--;
    if (from < runStart) from = line - 1;
    for (let at = from; at >= Math.max(0, from - maxLines); at--) {
      const text = this.#translations[at];
      if (text === undefined) break;
      texts.unshift(text);
    }
    return translatedEndOf(texts);
  }
}

/** A list or a proclamation of so many lines is passed over in search of prose. */
const maxLines = 200;
