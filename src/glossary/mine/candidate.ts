import type { Gender, TermType } from '../../term.ts';

/** A string that the statistics of a book take for a name. */
export interface Candidate {
  source: string;
  /** Other forms of the same name in the book: cases, spellings. */
  aliases: string[];
  occurrences: number;
  /** How name-like and how frequent; only for ranking. */
  strength: number;
  /** `unknown` unless the text says otherwise. */
  type: TermType;
  gender: Gender;
}

export interface MinedNames {
  candidates: Candidate[];
  /** Seen once or twice: names as likely as not. */
  rare: Candidate[];
}

/** @param weight how name-like it is. @param confidence 0…1: how many of ten terms with this value are names */
export function candidateOf(
  source: string,
  occurrences: number,
  { weight = 1, confidence, type = 'unknown' }: { weight?: number; confidence: number; type?: TermType },
): Candidate {
  return {
    source,
    aliases: [],
    occurrences,
    strength: occurrences * weight * confidence,
    type,
    gender: 'unknown',
  };
}
