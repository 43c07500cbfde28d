/** How a language prints what was written with plain marks: the marks, and the capitals of a title. */
import { baseCode } from '../languages.ts';
import { englishTitle, typesetEnglish } from './english.ts';
import { frenchTitle, typesetFrench } from './french.ts';
import { pairQuotes, withEllipses } from './quotes.ts';
import { spanishTitle, typesetSpanish } from './spanish.ts';

export interface Typography {
  /** A whole paragraph, with inline tags. */
  typeset(text: string): string;
  title(text: string): string;
  /** Who speaks is told by a dash at the head of a paragraph and not by quotation marks. */
  speechByDash: boolean;
}

const apostrophes = (text: string): string => text.replaceAll("'", '’');

const known: Readonly<Record<string, Typography>> = {
  en: { typeset: typesetEnglish, title: englishTitle, speechByDash: false },
  fr: { typeset: typesetFrench, title: frenchTitle, speechByDash: true },
  es: { typeset: typesetSpanish, title: spanishTitle, speechByDash: true },
  de: {
    typeset: (text) => apostrophes(pairQuotes(withEllipses(text), '„', '“')).replace(/\s*—\s*/gu, ' – '),
    title: frenchTitle,
    speechByDash: false,
  },
  it: {
    typeset: (text) => apostrophes(pairQuotes(withEllipses(text), '«', '»')).replace(/(^|\n)—\s*/gu, '$1— '),
    title: frenchTitle,
    speechByDash: true,
  },
};

const plain: Typography = { typeset: (text) => text, title: (text) => text, speechByDash: false };

export function typographyOf(language: string): Typography {
  return known[baseCode(language)] ?? plain;
}
