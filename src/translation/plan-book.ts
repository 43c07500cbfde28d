/**
 * The segments of a book with everything that their translation depends on. Those of its opening come first: they are on their way to the
 * engines while the memory is asked for the rest and the rest is cut.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Block } from '../documents/document.ts';
import type { BookBrief, TermHint } from '../engines/engine.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { withSpan } from '../platform/tracing.ts';
import type { Analysis } from './analyse-book.ts';
import type { BookInput, SegmentTask } from './book.ts';
import type { CheckpointRecord } from './checkpoint.ts';
import type { BlockKey } from './memory/block-keys.ts';
import { BlockRecall, type Recalled } from './memory/recall.ts';
import { farFromTheEnd, type KeptBlock, type Segment, SegmentPlanner } from './plan/segment.ts';
import { segmentKey } from './plan/segment-key.ts';
import { type ExpectedEntry, type FrozenTerms, fittingTerms, rosterOf, termsOf } from './term-hints.ts';

export interface BookToPlan {
  input: BookInput;
  analysis: Analysis;
  frozen: FrozenTerms;
  brief: BookBrief;
  keys: readonly BlockKey[];
  recall: BlockRecall;
  saved: readonly CheckpointRecord[];
}

export interface BookPlan {
  tasks: SegmentTask[];
  kept: KeptBlock[];
  recalled: Recalled;
}

export interface StagedPlan {
  /** Of the sections at the front; none where everything is planned at once. */
  opening: Iterable<SegmentTask>;
  /** Everything, the opening too. */
  whole: Promise<BookPlan>;
}

/** Each section is planned when it is asked for: the first calls are on their way while the others are cut. */
class Opening implements Iterable<SegmentTask> {
  readonly #tasks: SegmentTask[] = [];
  readonly #planTo: (sections: number) => SegmentTask[];
  readonly #sections: number;
  #planned = 0;

  constructor(sections: number, planTo: (sections: number) => SegmentTask[]) {
    this.#sections = sections;
    this.#planTo = planTo;
  }

  *[Symbol.iterator](): Generator<SegmentTask> {
    for (let at = 0; ; at++) {
      while (at >= this.#tasks.length && this.#planned < this.#sections) this.#planNext();
      const task = this.#tasks[at];
      if (task === undefined) return;
      yield task;
    }
  }

  all(): readonly SegmentTask[] {
    while (this.#planned < this.#sections) this.#planNext();
    return this.#tasks;
  }

  #planNext(): void {
    this.#planned++;
    this.#tasks.push(...this.#planTo(this.#planned));
  }
}

export async function planBook(book: BookToPlan): Promise<StagedPlan> {
  const { input, recall } = book;
  const { sections } = input.document;
  const planner = new SegmentPlanner(sections, {
    language: input.sourceLang,
    maxInputCharacters: Math.min(...input.engines.capabilities.map((engine) => engine.maxInputCharacters)),
    remembered: (blockId) => recall.found.get(blockId)?.text,
  });
  const front = await sectionsToBeginWith(book, planner);
  const opening = new Opening(front, (sections) => tasksOf(planner.planOpening(sections), book));
  const planRest = async (): Promise<BookPlan> => {
    // The calls of the opening are on their way first.
    if (front > 0) await nextTurn();
    const recalled = await withSpan('recall blocks', { blocks: book.keys.length }, () => recall.all());
    const tasks = [...opening.all(), ...tasksOf(planner.planRest(), book)];
    return { tasks, kept: planner.plan.kept, recalled };
  };
  const whole = planRest();
  if (front === 0) await whole;
  // Whoever waits for it is told.
  whole.catch(() => {});
  return { opening, whole };
}

/** Characters at the end of a book that certainly hold enough to be far from it, where nothing of them is remembered. */
const longEndCharacters = farFromTheEnd * 5;

/**
 * How many sections can be planned before the memory has been asked for all of the book: those of its first part. The end of the book
 * decides on how its segments are cut only where it is near, so it is asked for too. A run that goes on after
 * another plans everything at once, because it takes over what is there.
 */
async function sectionsToBeginWith(
  { input, keys, recall, saved }: BookToPlan,
  planner: SegmentPlanner,
): Promise<number> {
  const { blocksPerPart } = BlockRecall;
  const beyond = keys[blocksPerPart];
  if (saved.length > 0 || beyond === undefined) return 0;
  const { sections } = input.document;
  const front = sections.findIndex(({ blocks }) => blocks.some(({ id }) => id === beyond.blockId));
  const end = lastParts(keys);
  if (front < 1 || end.includes(0)) return 0;
  const rest = sections.slice(front).flatMap(({ blocks }) => blocks);
  const opening = recall.parts([0]);
  // Whoever waits for it is told.
  opening.catch(() => {});
  // Found out while the host looks for it: the question is on its way first.
  await nextTurn();
  const isMore = isMoreThanRemembered(rest, input.memory?.characters, planner);
  await opening;
  if (isMore) return front;
  await recall.parts(end);
  const from = keys[Math.min(...end) * blocksPerPart];
  const ending = rest.slice(
    Math.max(
      0,
      rest.findIndex(({ id }) => id === from?.blockId),
    ),
  );
  return planner.hasLoad(ending, farFromTheEnd) ? front : 0;
}

/** Of what `hasDistinctLoad` counts, a quarter for each UTF-16 unit: four units, as where a letter and its marks are written apart. */
const maxLoadPerCharacter = 1;

/** A memory that is small beside the book cannot have so much of its end, which need not be asked for then. */
function isMoreThanRemembered(
  rest: readonly Block[],
  remembered: number | undefined,
  planner: SegmentPlanner,
): boolean {
  if (remembered === undefined) return false;
  const load = farFromTheEnd + remembered * maxLoadPerCharacter;
  const characters = rest.reduce((sum, block) => sum + block.characters, 0);
  return characters >= load && planner.hasDistinctLoad(rest, load);
}

function lastParts(keys: readonly BlockKey[]): number[] {
  const parts: number[] = [];
  let characters = 0;
  for (let part = Math.floor((keys.length - 1) / BlockRecall.blocksPerPart); part >= 0; part--) {
    const from = part * BlockRecall.blocksPerPart;
    parts.push(part);
    for (const key of keys.slice(from, from + BlockRecall.blocksPerPart)) characters += key.characters;
    if (characters >= longEndCharacters) break;
  }
  return parts;
}

/** Segments of whole sections, with what they are told. */
function tasksOf(segments: readonly Segment[], { input, analysis, frozen, brief }: BookToPlan): SegmentTask[] {
  const { sourceLang, targetLang } = input;
  const told = segments.map((segment) => ({ segment, terms: segmentTerms(segment, frozen) }));
  const bySection = Map.groupBy(told, ({ segment }) => segment.section);
  const rosters = new Map(
    [...bySection].map(([section, own]) => [
      section,
      rosterOf(
        own.flatMap(({ terms }) => terms.all),
        frozen,
      ),
    ]),
  );
  return told.map(({ segment, terms: { hints, expected, all: terms } }) => {
    return {
      segment,
      key: segmentKey(segment, { enginePolicy: input.engines.policy, sourceLang, targetLang, terms, brief }),
      work: {
        units: segment.units,
        before: segment.before,
        after: segment.after,
        translatedBefore: segment.translatedBefore,
        translatedAfter: segment.translatedAfter,
        hints,
        expected,
        roster: rosters.get(segment.section) ?? [],
        chapterDigest: analysis.brief.digests[segment.section] ?? '',
        brief,
      },
      expected,
    };
  });
}

function segmentTerms(
  segment: Segment,
  frozen: FrozenTerms,
): {
  hints: Map<string, readonly TermHint[]>;
  expected: Map<string, readonly ExpectedEntry[]>;
  all: TermHint[];
} {
  const hints = new Map<string, readonly TermHint[]>();
  const expected = new Map<string, readonly ExpectedEntry[]>();
  const all = new Map<string, TermHint>();
  for (const unit of segment.units) {
    const terms = termsOf(stripInlineTags(unit.text), frozen);
    hints.set(unit.id, terms.hints);
    expected.set(unit.id, terms.expected);
    for (const hint of terms.hints) all.set(hint.source, hint);
  }
  const fitting = fittingTerms(all.values(), segment.characters);
  if (fitting.size < all.size) {
    const fits = ({ source }: { source: string }): boolean => fitting.has(source);
    for (const [id, own] of hints) hints.set(id, own.filter(fits));
    for (const [id, own] of expected) expected.set(id, own.filter(fits));
  }
  return { hints, expected, all: [...all.values()].filter(({ source }) => fitting.has(source)) };
}
