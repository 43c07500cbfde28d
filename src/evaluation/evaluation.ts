/** What an evaluation found, as it is printed with `--json` and kept. Wire format: snake_case. */
import type { TaskQuality } from '../engines/engine.ts';
import type { PassageKind } from './passages.ts';

export interface Evaluation {
  book: { file: string; title: string | null; source_lang: string; target_lang: string; characters: number };
  /** The best first. */
  engines: EvaluatedEngine[];
  /** How BLEU and chrF were computed; null without a reference. */
  signatures: { bleu: string; chrf: string } | null;
  judge: JudgeFindings | null;
  /** What was decided for the whole book, once for all engines; null where no engine has written one. Absent in the first that were kept. */
  sheet?: { written_by: string; decisions: string[] } | null;
  /** With what the paragraphs of each engine were compared. */
  compared_with?: ComparedWith;
  /** The engine that edits what the others have translated, as in tasks. */
  editor?: string | null;
  passages: EvaluatedPassage[];
}

export interface ComparedWith {
  address: 'sheet' | 'neighbours';
  tense: 'sheet' | 'neighbours';
  /** Null where the sheet has none. */
  phrases: 'sheet' | null;
}

export interface EvaluatedEngine {
  engine: string;
  /** Why it has no translation; the rest of its figures is zero then. */
  failure: string | null;
  quality: TaskQuality | null;
  seconds: number;
  calls: number;
  failed_calls: number;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  /** In the currency of its `prices`; null where it has none. */
  cost: number | null;
  paragraphs: number;
  /** Left in the source language. */
  failed_paragraphs: number;
  /** Delivered with a warning. */
  flagged_paragraphs: number;
  /** Share of paragraphs with their terms, 0 to 1. */
  term_consistency: number;
  /** Paragraphs that differ from what they were compared with, and how many could be compared. */
  address_switches: number;
  address_paragraphs?: number;
  tense_switches: number;
  tense_paragraphs?: number;
  phrase_switches?: number;
  phrase_paragraphs?: number;
  /** Changed lines of the editor; null without one. */
  editing?: { offered: number; taken: number; dropped: number } | null;
  bleu: number | null;
  chrf: number | null;
  /** Of the comparisons with other engines; null without a judge. */
  wins: number | null;
  losses: number | null;
  ties: number | null;
}

export interface JudgeFindings {
  engine: string;
  pairs: JudgedPair[];
  /** Pairs of passages, each asked in both orders. */
  comparisons: number;
  /** Of them, those in which the verdict changed with the order: ties. */
  changed_with_order: number;
  /** Of them, those without a verdict that could be read. */
  unread: number;
}

export interface JudgedPair {
  first: string;
  second: string;
  first_wins: number;
  second_wins: number;
  ties: number;
}

export interface EvaluatedPassage {
  kind: PassageKind;
  source: string[];
  /** By the name of the engine. */
  translations: Record<string, string[]>;
}

/** The best first: by the judge, else by the reference, else by what is wrong. */
export function ranked(engines: readonly EvaluatedEngine[]): EvaluatedEngine[] {
  return engines.toSorted(
    (a, b) =>
      Number(a.failure !== null) - Number(b.failure !== null) ||
      judgedShare(b) - judgedShare(a) ||
      (b.chrf ?? 0) - (a.chrf ?? 0) ||
      a.failed_paragraphs - b.failed_paragraphs ||
      a.flagged_paragraphs - b.flagged_paragraphs ||
      b.term_consistency - a.term_consistency,
  );
}

/** A tie is half a win. */
function judgedShare({ wins, losses, ties }: EvaluatedEngine): number {
  const all = (wins ?? 0) + (losses ?? 0) + (ties ?? 0);
  return all === 0 ? 0 : ((wins ?? 0) + (ties ?? 0) / 2) / all;
}
