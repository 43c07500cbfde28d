/** The terms of a series as a run sees them, and which of all terms decide on a remembered block. */
import { type GlossaryStrategy, withoutClaimed } from '../../glossary/glossary.ts';
import { findTerms, indexTerms } from '../../glossary/match.ts';
import { settleCase } from '../../glossary/settle-case.ts';
import type { Term } from '../../term.ts';

export interface SeriesState {
  version: number;
  /** Set by people: supplied, or corrected. */
  supplied: Term[];
  extracted: Term[];
  /** The volumes before, in a few sentences. */
  story: string;
  style: string | undefined;
}

/** Terms that nothing found in the book can change: the task's own before the series'. */
export function suppliedTerms(
  glossary: readonly Term[],
  strategy: GlossaryStrategy,
  series: Pick<SeriesState, 'supplied'> | undefined,
): Term[] {
  const own = strategy === 'skip' ? [] : glossary;
  if (series === undefined || strategy === 'replace') return [...own];
  return [...own, ...withoutClaimed(series.supplied, own)];
}

/**
 * Only terms set by people are part of a series' keys. If found terms were, each new name would make old chapters new again.
 * @param texts the whole book, which decides between `May` and `may`
 */
export function suppliedTermsIn(
  supplied: readonly Term[],
  texts: readonly string[],
  language: string,
): (text: string) => [string, string][] {
  if (supplied.length === 0) return () => [];
  const index = indexTerms(settleCase(supplied, texts, language), language);
  return (text) =>
    [...new Set(findTerms(text, index).map(({ term }) => term))].map(({ source, target }) => [source, target]);
}
