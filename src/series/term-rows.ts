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
    .map((term) => ({
      source: term.source,
      target: term.target,
      type: term.type,
      gender: term.gender,
      aliases: term.aliases,
      case_sensitive: term.caseSensitive,
      note: term.note,
      confidence: term.confidence,
      origin: origin ?? term.origin,
      occurrences: term.occurrences,
    }));
  return { json: JSON.stringify(rows), count: rows.length };
}
