/** What the checks look at. */
import type { ExpectedTerm } from './expected-term.ts';

export interface CheckContext {
  sourceLang: string;
  targetLang: string;
  /** A detector for languages of one script; undefined answers are ignored. Asked from 120 letters on. */
  detectLanguage?: (text: string) => string | undefined;
  /** Text of the instructions that must never appear in a book. */
  canary?: string;
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
