/** The segments of a book with everything that their translation depends on, and the order that they are translated in. */

import { createHash } from 'node:crypto';
import type { BookBrief, TermHint } from '../engines/engine.ts';
import { stripInlineTags } from '../inline-tags.ts';
import type { Analysis } from './analyse-book.ts';
import type { BookInput, SegmentTask } from './book.ts';
import type { Recalled } from './memory/recall.ts';
import { planRuns } from './plan/runs.ts';
import { type KeptBlock, type Line, planSegments, type Segment, segmentPolicyVersion } from './plan/segment.ts';
import { type ExpectedEntry, type FrozenTerms, fittingTerms, hintParts, rosterOf, termsOf } from './term-hints.ts';

interface BookToPlan {
  input: BookInput;
  analysis: Analysis;
  frozen: FrozenTerms;
  brief: BookBrief;
  recalled: Recalled;
}

export interface BookPlan {
  tasks: SegmentTask[];
  /** The same tasks: those of a run are translated in their order. */
  runs: readonly (readonly SegmentTask[])[];
  lines: readonly Line[];
  kept: KeptBlock[];
  recalled: Recalled;
}

export function planBook(book: BookToPlan): BookPlan {
  const { input, recalled } = book;
  const { segments, lines, kept } = planSegments(input.document.sections, {
    language: input.sourceLang,
    maxInputCharacters: Math.min(...input.engines.capabilities.map((engine) => engine.maxInputCharacters)),
    remembered: (blockId) => recalled.get(blockId)?.text,
  });
  const tasks = tasksOf(segments, book);
  const runs = isInOrder(input) ? planRuns(tasks, input.concurrency) : tasks.map((task) => [task]);
  return { tasks, runs, lines, kept, recalled };
}

/** What was translated before is of use only to an engine that reads it; the sandbox does not. */
export function isInOrder({ engines, order }: BookInput): boolean {
  const [engine] = engines.capabilities;
  return order !== 'free' && engine?.followsInstructions === true && engine.quality !== 'sandbox';
}

/** Segments of whole sections, with what they are told. */
function tasksOf(segments: readonly Segment[], { input, analysis, frozen, brief }: BookToPlan): SegmentTask[] {
  const { sourceLang, targetLang } = input;
  const told = segments.map((segment) => ({ segment, terms: segmentTerms(segment, frozen) }));
  const bySection = Map.groupBy(told, ({ segment }) => segment.section);
  const rosters = new Map(
    [...bySection].map(([section, own]) => {
      const named = own.flatMap(({ terms }) => terms.all);
      return [section, rosterOf(named, frozen)];
    }),
  );
  return told.map(({ segment, terms: { hints, expected, all: terms } }) => {
    const { units, before, after, translatedAfter, section } = segment;
    const roster = rosters.get(section) ?? [];
    const chapterDigest = analysis.brief.digests[section] ?? '';
    return {
      segment,
      key: segmentKey(segment, { enginePolicy: input.engines.policy, sourceLang, targetLang, terms, brief }),
      work: { units, before, after, translatedAfter, hints, expected, roster, chapterDigest, brief },
    };
  });
}

function segmentTerms(segment: Segment, frozen: FrozenTerms) {
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

interface SegmentKeyInput {
  /** Changes when the same request may be answered differently: engines, their models and prompts. */
  enginePolicy: string;
  sourceLang: string;
  targetLang: string;
  /** Only the terms that occur in the segment: a new name elsewhere in the book keeps the translation valid. */
  terms: readonly TermHint[];
  brief: Pick<BookBrief, 'style' | 'background'>;
}

/** Equal keys mean an interchangeable translation, so a full run takes over the preview's segments word for word. */
export function segmentKey(segment: Pick<Segment, 'units'>, input: SegmentKeyInput): string {
  const terms = input.terms.map(hintParts).sort((a, b) => (a.join('\u0000') < b.join('\u0000') ? -1 : 1));
  const content = [
    segmentPolicyVersion,
    input.enginePolicy,
    input.sourceLang,
    input.targetLang,
    input.brief.style ?? '',
    input.brief.background ?? '',
    segment.units.map((unit) => [unit.kind, unit.text.normalize('NFC')]),
    terms,
  ];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
