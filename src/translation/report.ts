/** The report a partner downloads, and the short coverage of the task view. Wire format: snake_case. */
import type { Document } from '../documents/document.ts';
import type { TaskQuality } from '../engines/engine.ts';
import type { Term } from '../term.ts';
import type { FaultKind } from './checks/fault.ts';
import type { TermScore } from './consistency.ts';
import { faultMessages, type Review, reviewOf } from './doubts.ts';
import type { Editing } from './editing.ts';
import type { Reused } from './memory/reused.ts';
import type { FailureReason, RepairCounts } from './segment-outcome.ts';
import type { Sheet } from './sheet.ts';

/** total = translated + reused + kept + failed + untranslated. Translated and kept characters are charged. */
export interface Coverage {
  total: number;
  translated: number;
  /** Remembered, and paid for before; separators and numbers beside remembered blocks too. */
  reused: number;
  kept: number;
  failed: number;
  /** Only of a cancelled task: not finished by then. */
  untranslated?: number;
}

export interface CoverageLocation {
  section: number;
  section_title: string | null;
  block_id: string;
  characters: number;
  reason: KeptReason | FailureReason;
}

/** `no_letters`: blocks of digits, ornaments, web addresses and formulas; `between_blocks`: white space and separators of plain text; `cancelled`: not reached. */
export type KeptReason = 'no_letters' | 'between_blocks' | 'cancelled';

export interface ReportWarning {
  code: string;
  message: string;
  count: number;
  block_ids: string[];
}

export interface Report {
  version: 1;
  /** `refined`: an editor has gone over it; `draft`: to be read beside the source before it is used; `sandbox`: no translation at all. */
  quality: TaskQuality;
  source_lang: string;
  target_lang: string;
  coverage: Coverage & { by_reason: Record<string, number>; locations: CoverageLocation[] };
  delivered_characters: number;
  warnings: ReportWarning[];
  consistency: { score: number; terms: ReportTerm[] };
  repairs: Record<string, number>;
  /** Paragraphs to look at first, the most doubtful ones before the others. */
  review: Review;
  /** What the editing pass has changed, where there was one. */
  editing?: ReportEditing;
  /** How the book is translated, where that was settled before its first page. */
  sheet?: Sheet;
}

/** Changed lines: offered = taken + dropped. */
export interface ReportEditing extends Pick<Editing, 'offered' | 'taken' | 'dropped'> {
  dropped_in: string[];
  /** Of passages that the editor has not read. */
  unread_characters: number;
}

export interface ReportTerm extends Pick<Term, 'source' | 'target' | 'type' | 'origin' | 'occurrences'> {
  paragraphs: number;
  applied: number;
  score: number;
  missed_in: string[];
  conflicts?: string[];
}

/** A block, and how much of it is meant. */
interface Place {
  blockId: string;
  section: number;
  characters: number;
}

export interface ReportInput {
  quality: TaskQuality;
  sheet?: Sheet | undefined;
  editing?: Editing | undefined;
  document: Pick<Document, 'characters' | 'sections'>;
  sourceLang: string;
  targetLang: string;
  keptBlocks: readonly Place[];
  reused: Reused;
  failures: readonly (Place & { reason: FailureReason })[];
  /** Blocks of a cancelled task that were not finished. */
  untranslated?: readonly Place[];
  /** Faults of delivered texts. */
  flagged: readonly { blockId: string; faults: readonly FaultKind[] }[];
  /** Delivered texts that were hard to get. */
  strained: readonly { blockId: string; answers: number; refused: boolean }[];
  terms: readonly Term[];
  scores: readonly TermScore[];
  repairs: RepairCounts & { revised: number; reused: number };
  extraWarnings: readonly ReportWarning[];
}

export function buildReport(input: ReportInput): Report {
  const { document } = input;
  const inBlocks = sumOf(document.sections.flatMap(({ blocks }) => blocks));
  const between = document.characters - inBlocks;
  const kept = input.keptBlocks.filter(({ blockId }) => !input.reused.keptBlocks.has(blockId));
  const keptInBlocks = sumOf(input.keptBlocks);
  const failed = sumOf(input.failures);
  const untranslated = sumOf(input.untranslated ?? []);
  const coverage: Coverage = {
    total: document.characters,
    translated: inBlocks - keptInBlocks - failed - untranslated - input.reused.inBlocks,
    reused: input.reused.characters,
    kept: sumOf(kept) + between - input.reused.between,
    failed,
    ...(input.untranslated ? { untranslated } : {}),
  };
  const byReason: Record<string, number> = {};
  const add = (reason: string, characters: number): void => {
    if (characters > 0) byReason[reason] = (byReason[reason] ?? 0) + characters;
  };
  add('between_blocks', between - input.reused.between);
  add('cancelled', untranslated);
  for (const { characters } of kept) add('no_letters', characters);
  for (const { reason, characters } of input.failures) add(reason, characters);
  const locate = ({ blockId, section, characters }: Place, reason: CoverageLocation['reason']): CoverageLocation => {
    const section_title = document.sections[section]?.title ?? null;
    return { section: section + 1, section_title, block_id: blockId, characters, reason };
  };
  return {
    version: 1,
    quality: input.quality,
    source_lang: input.sourceLang,
    target_lang: input.targetLang,
    coverage: {
      ...coverage,
      by_reason: byReason,
      locations: [
        ...input.failures.map((failure) => locate(failure, failure.reason)),
        ...kept.map((block) => locate(block, 'no_letters')),
        ...(input.untranslated ?? []).map((block) => locate(block, 'cancelled')),
      ],
    },
    delivered_characters: deliveredCharacters(coverage),
    warnings: warningsOf(input),
    consistency: { score: overallScore(input), terms: reportTerms(input) },
    repairs: repairCounts(input.repairs),
    review: reviewOf({
      ...input,
      blockIds: document.sections.flatMap(({ blocks }) => blocks.map(({ id }) => id)),
      missedTerms: input.scores,
      editsDropped: input.editing?.droppedIn ?? [],
      warnings: input.extraWarnings,
    }),
    ...(input.editing === undefined ? {} : { editing: reportEditing(input.editing) }),
    ...(input.sheet === undefined ? {} : { sheet: input.sheet }),
  };
}

function reportEditing({ offered, taken, dropped, droppedIn, unreadCharacters }: Editing): ReportEditing {
  const dropped_in = droppedIn.slice(0, maxListed);
  return { offered, taken, dropped, dropped_in, unread_characters: unreadCharacters };
}

/** Everything counted but the text that stayed in the source language by our failure. */
export function deliveredCharacters(coverage: Coverage): number {
  return coverage.total - coverage.failed - (coverage.untranslated ?? 0);
}

export function shortCoverage({
  coverage: { total, translated, reused, kept, failed, untranslated },
}: Report): Coverage {
  return { total, translated, reused, kept, failed, ...(untranslated === undefined ? {} : { untranslated }) };
}

function sumOf(items: readonly { characters: number }[]): number {
  return items.reduce((sum, { characters }) => sum + characters, 0);
}

// The first places are enough to look; the count says how many there are.
const maxListed = 50;

export function warningOf(code: string, message: string, blockIds: readonly string[]): ReportWarning {
  return { code, message, count: blockIds.length, block_ids: blockIds.slice(0, maxListed) };
}

const failureMessages: Record<FailureReason, [string, string]> = {
  policy_blocked: [
    'PASSAGES_REFUSED',
    'Passages that no engine would translate were left in the source language, uncharged.',
  ],
  failed_checks: [
    'PASSAGES_FAILED',
    'Passages without an acceptable translation were left in the source language, uncharged.',
  ],
  engine_unavailable: [
    'PASSAGES_NOT_REACHED',
    'Passages for which no engine could be reached were left in the source language, uncharged.',
  ],
};

function warningsOf(input: ReportInput): ReportWarning[] {
  const byCode = new Map<string, { message: string; blocks: Set<string> }>();
  const add = ([code, message]: [string, string], blockId: string): void => {
    byCode.getOrInsertComputed(code, () => ({ message, blocks: new Set() })).blocks.add(blockId);
  };
  for (const { reason, blockId } of input.failures) add(failureMessages[reason], blockId);
  for (const { source, missedIn } of input.scores) {
    for (const blockId of missedIn)
      if (source !== '') add(['TERM_NOT_APPLIED', 'A fixed name or term was not found in the translation.'], blockId);
  }
  for (const { blockId, faults } of input.flagged) {
    for (const fault of faults) {
      const known = faultMessages[fault];
      // Terms are judged on the final text, after the consistency pass.
      if (known !== undefined && fault !== 'term-missed') add(known, blockId);
    }
  }
  const warnings = [...byCode].map(([code, { message, blocks }]) => warningOf(code, message, [...blocks]));
  const disputed = input.terms.filter((term) =>
    (term.conflicts ?? []).some((conflict) => conflict.startsWith('gender')),
  );
  if (disputed.length > 0) {
    const names = disputed.slice(0, 10).map(({ source }) => source);
    warnings.push({
      code: 'GENDER_UNCERTAIN',
      message: `The book gives different hints on the gender of: ${names.join(', ')}.`,
      count: disputed.length,
      block_ids: [],
    });
  }
  return [...warnings, ...input.extraWarnings];
}

/** Share of paragraphs with their terms applied; persons count double, because readers notice names first. */
function overallScore(input: ReportInput): number {
  const types = new Map(input.terms.map((term) => [term.source, term.type]));
  let [applied, all] = [0, 0];
  for (const score of input.scores) {
    const weight = types.get(score.source) === 'person' ? 2 : 1;
    applied += weight * score.applied;
    all += weight * score.paragraphs;
  }
  return all === 0 ? 1 : rounded(applied / all);
}

function reportTerms(input: ReportInput): ReportTerm[] {
  const scores = new Map(input.scores.map((score) => [score.source, score]));
  return input.terms.map((term) => {
    const { source, target, type, origin, occurrences, conflicts } = term;
    const { paragraphs = 0, applied = 0, missedIn = [] } = scores.get(source) ?? {};
    const score = paragraphs === 0 ? 1 : rounded(applied / paragraphs);
    return {
      ...{ source, target, type, origin, occurrences, paragraphs, applied, score },
      missed_in: missedIn.slice(0, maxListed),
      ...(conflicts === undefined ? {} : { conflicts }),
    };
  });
}

function rounded(value: number): number {
  return Math.floor(value * 10_000) / 10_000;
}

function repairCounts(repairs: ReportInput['repairs']): Record<string, number> {
  return {
    passages_retried: repairs.retried,
    passages_split: repairs.split,
    single_paragraphs: repairs.single,
    sentence_by_sentence: repairs.sentences,
    second_engine: repairs.otherEngine,
    paragraphs_with_markup_restored: repairs.tagsProjected,
    markup_places_approximated: repairs.tagsApproximated,
    paragraphs_revised_for_terms: repairs.revised,
    passages_reused: repairs.reused,
  };
}
