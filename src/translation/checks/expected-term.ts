import { appliedIn, targetText } from '../../glossary/term-applied.ts';

/** A term that the source of a unit contains for certain. */
export interface ExpectedTerm {
  source: string;
  target: string;
  /** One part of the rendering is enough: an alias without a rendering of its own. */
  partial: boolean;
}

export function missedTerms<T extends ExpectedTerm>(translation: string, terms: readonly T[], targetLang: string): T[] {
  if (terms.length === 0) return [];
  const text = targetText(translation);
  return terms.filter((term) => !appliedIn(text, term.target, targetLang, term.partial));
}
