/** A translated book as interchange formats carry it: chapters of units, each a block of the document with its translation. */
export interface InterchangeBook {
  fileName: string;
  /** BCP-47. */
  sourceLang: string;
  targetLang: string;
  chapters: readonly InterchangeChapter[];
}

export interface InterchangeChapter {
  title: string | undefined;
  units: readonly InterchangeUnit[];
}

/** `untranslated`: stayed in the source language; `review`: delivered, with a fault to look at; `final`: corrected by a person. */
export type UnitState = 'translated' | 'untranslated' | 'review' | 'final';

export interface InterchangeUnit {
  /** The block's id. */
  id: string;
  /** Both with inline tags as in `inline-tags.ts`. */
  source: string;
  target: string;
  state: UnitState;
  notes: readonly string[];
}
