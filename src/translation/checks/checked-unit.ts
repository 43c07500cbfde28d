/** What the checks look at. */
import type { ExpectedTerm } from './expected-term.ts';

export interface CheckContext {
  sourceLang: string;
  targetLang: string;
  /** Sentences of the engines' own instructions: a book that holds one has given an order that was followed. */
  instructions?: readonly string[];
}

export interface CheckedUnit {
  id: string;
  kind: string;
  /** Both with inline tags. */
  source: string;
  translation: string;
  terms: readonly ExpectedTerm[];
}

export interface CheckInput extends CheckContext, CheckedUnit {
  cleanSource: string;
  cleanTranslation: string;
}
