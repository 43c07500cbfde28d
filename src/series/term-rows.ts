import type { Term } from '../term.ts';

export type TermOrigin = Term['origin'] | 'corrected';

/** Terms as the database takes them. */
export interface TermRows {
  /** A list in JSON. */
  json: string;
  count: number;
}

/** What is left out of a term stays as it is, where the series has the term. */
export type SentTerm = Pick<Term, 'source' | 'target' | 'confidence' | 'occurrences'> &
  Partial<Pick<Term, 'type' | 'gender' | 'aliases' | 'caseSensitive' | 'note'>>;

/** In the order of their sources, so that two lists with the same ones cannot wait for each other. @param origin of all of them; each has its own when left out */
export function termRows(terms: readonly (SentTerm & { origin: TermOrigin })[], origin?: TermOrigin): TermRows {
  const rows = [...new Map(terms.map((term) => [term.source, term])).values()]
    .toSorted((a, b) => (a.source < b.source ? -1 : 1))
    .map(({ source, target, type, gender, aliases, caseSensitive, note, confidence, occurrences, ...term }) => {
      const common = { source, target, type, gender, aliases, note, confidence, occurrences };
      return { ...common, case_sensitive: caseSensitive, origin: origin ?? term.origin };
    });
  return { json: JSON.stringify(rows), count: rows.length };
}
