/** A decision on how a name or word of the book is rendered. */
export interface Term {
  source: string;
  target: string;
  /** 0…1; 1 for supplied terms. */
  confidence: number;
  type: TermType;
  gender: Gender;
  /** Other source forms of the same thing; a short form that has a term of its own keeps it. */
  aliases: string[];
  /** In the whole range, longest forms first: `Alice` inside `Alice Kelly` counts for the long form only. */
  occurrences: number;
  origin: 'supplied' | 'extracted';
  /** Undefined until decided over the text: `May` against `may`. */
  caseSensitive?: boolean;
  note?: string;
  /** Facts on which the sources disagreed; the value kept is the majority's. */
  conflicts?: string[];
}

export const termTypes = [
  'person',
  'place',
  'organization',
  'item',
  'skill',
  'species',
  'title',
  'concept',
  'other',
  /** Nothing in the text says what it is. */
  'unknown',
] as const;
export type TermType = (typeof termTypes)[number];

export const genders = ['male', 'female', 'neutral', 'unknown'] as const;
export type Gender = (typeof genders)[number];

/** What makes two source forms the same term: compatibility forms, spacing and letter case do not count. */
export function termKey(source: string): string {
  return source.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();
}

const partSeparators = /[\s・·‧•=＝]+/u;

/** The parts of a name: `Alice Kelly`, `アリス・ケリー`. */
export function nameParts(name: string): string[] {
  return name.split(partSeparators).filter((part) => part !== '');
}
