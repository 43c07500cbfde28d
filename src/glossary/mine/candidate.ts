/** A string that the statistics of a book take for a name. */
export interface Candidate {
  source: string;
  occurrences: number;
  /** How name-like the statistics are; only for ranking. */
  strength: number;
}
