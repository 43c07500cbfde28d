/** Which paragraphs a person should look at first, and why: what is certainly wrong, then what is most likely to be. */
import { type FaultKind, faultRules } from './checks/fault.ts';
import type { FailureReason } from './segment-outcome.ts';

export interface Doubt {
  code: string;
  message: string;
}

/** Part of the report, so in the form of the wire. */
export interface Review {
  /** How many there are; the list has the first. */
  count: number;
  paragraphs: { block_id: string; reasons: Doubt[] }[];
}

export interface DoubtInput {
  /** In the order of the book. */
  blockIds: readonly string[];
  failures: readonly { blockId: string; reason: FailureReason }[];
  flagged: readonly { blockId: string; faults: readonly FaultKind[] }[];
  /** What it took to get a paragraph that was accepted. */
  strained: readonly { blockId: string; answers: number; refused: boolean }[];
  missedTerms: readonly { source: string; missedIn: readonly string[] }[];
  /** Where a change that the editing pass offered was not good enough. */
  editsDropped: readonly string[];
  warnings: readonly { code: string; message: string; block_ids: readonly string[] }[];
}

/** What an editor looks at on one day. */
const maxParagraphs = 500;

const failures: Record<FailureReason, [code: string, message: string, weight: number]> = {
  failed_checks: ['PASSAGES_FAILED', 'No answer passed the checks: it is in the source language.', 3_000],
  policy_blocked: ['PASSAGES_REFUSED', 'No engine would translate it: it is in the source language.', 2_000],
  engine_unavailable: [
    'PASSAGES_NOT_REACHED',
    'No engine could be reached for it: it is in the source language.',
    1_000,
  ],
};

/** What delivered text may still be suspected of. */
export const faultMessages: Partial<Record<FaultKind, [code: string, message: string]>> = {
  'term-missed': ['TERM_NOT_APPLIED', 'A fixed name or term was not found in the translation.'],
  length: ['UNUSUAL_LENGTH', 'The translation is unusually short or long.'],
  cut: ['POSSIBLY_CUT', 'The translation may lack a sentence or the end of the paragraph.'],
  merged: ['UNUSUAL_LENGTH', 'The translation is unusually short or long.'],
  shifted: ['UNUSUAL_LENGTH', 'The translation is unusually short or long.'],
  residue: ['SOURCE_TEXT_LEFT', 'Part of the source text was left in the translation.'],
  'minor-residue': ['SOURCE_TEXT_LEFT', 'Part of the source text was left in the translation.'],
  suspect: ['SOURCE_TEXT_LEFT', 'Part of the source text was left in the translation.'],
  numbers: ['NUMBER_CHANGED', 'A number of the source is not in the translation.'],
  'line-breaks': ['LINES_CHANGED', 'Verse has another number of lines.'],
  quotes: ['UNBALANCED_QUOTES', 'Quotation marks or brackets are not balanced.'],
};

/** Warnings about paragraphs that no check of a single one finds. */
const warningWeights: Record<string, number> = { REPEATED_PARAGRAPH: 100, TERM_DIFFERS_IN_CORRECTION: 5 };
const refusedWeight = 35;
const editWeight = 15;
/** Asked for once and once more is usual. */
const usualAnswers = 2;
const answerWeight = 4;

export function reviewOf(input: DoubtInput): Review {
  const doubted = new Map<string, { weight: number; reasons: Map<string, string> }>();
  const add = (blockId: string, code: string, message: string, weight: number): void => {
    const entry = doubted.getOrInsertComputed(blockId, () => ({ weight: 0, reasons: new Map() }));
    entry.weight += weight;
    entry.reasons.set(code, message);
  };
  for (const { blockId, reason } of input.failures) add(blockId, ...failures[reason]);
  for (const { blockId, faults } of input.flagged)
    for (const fault of faults) {
      const known = faultMessages[fault];
      // Terms are judged on the final text, after the consistency pass.
      if (known !== undefined && fault !== 'term-missed') add(blockId, ...known, faultRules[fault].weight);
    }
  for (const { source, missedIn } of input.missedTerms)
    for (const blockId of source === '' ? [] : missedIn)
      add(blockId, 'TERM_NOT_APPLIED', 'A fixed name or term was not found in the translation.', 10);
  for (const { blockId, answers, refused } of input.strained) {
    if (refused)
      add(blockId, 'REFUSED_ONCE', 'An engine refused it before another answer was accepted.', refusedWeight);
    if (answers > usualAnswers)
      add(blockId, 'LONG_REPAIR', `It took ${answers} answers to get one that was accepted.`, answers * answerWeight);
  }
  const editMessage = 'The editing pass wanted to change it, but the change did not pass the checks.';
  for (const blockId of input.editsDropped) add(blockId, 'EDIT_DROPPED', editMessage, editWeight);
  for (const { code, message, block_ids } of input.warnings)
    for (const blockId of code in warningWeights ? block_ids : [])
      add(blockId, code, message, warningWeights[code] ?? 0);
  const order = new Map(input.blockIds.map((id, at) => [id, at]));
  const ranked = [...doubted].sort(
    ([one, a], [other, b]) => b.weight - a.weight || (order.get(one) ?? 0) - (order.get(other) ?? 0),
  );
  return {
    count: ranked.length,
    paragraphs: ranked.slice(0, maxParagraphs).map(([block_id, { reasons }]) => ({
      block_id,
      reasons: [...reasons].map(([code, message]) => ({ code, message })),
    })),
  };
}
