/** How a language prints what was written with plain marks: the marks, and the capitals of a title. */
import { baseCode } from '../languages.ts';
import { englishTitle, typesetEnglish } from './english.ts';
import { typesetFrench } from './french.ts';
import { pairQuotes, withEllipses } from './quotes.ts';
import { typesetSpanish } from './spanish.ts';

export interface Typography {
  /** A whole paragraph, with inline tags. */
  typeset(text: string): string;
  title(text: string): string;
  /** Who speaks is told by a dash at the head of a paragraph and not by quotation marks. */
  speechByDash: boolean;
}

const apostrophes = (text: string): string => text.replaceAll("'", '’');

/** Titles of most languages have one capital, at their beginning. */
const oneCapital = (title: string): string =>
  title.replace(/^(?:<\/?\d{1,6}\/?>|[^\p{L}<])*\p{Ll}/u, (head) => head.toUpperCase());

const known: Readonly<Record<string, Typography>> = {
  en: { typeset: typesetEnglish, title: englishTitle, speechByDash: false },
  fr: { typeset: typesetFrench, title: oneCapital, speechByDash: true },
  es: { typeset: typesetSpanish, title: oneCapital, speechByDash: true },
  de: {
    typeset: (text) => apostrophes(pairQuotes(withEllipses(text), '„', '“')).replace(/\s*—\s*/gu, ' – '),
    title: oneCapital,
    speechByDash: false,
  },
  it: {
    typeset: (text) => apostrophes(pairQuotes(withEllipses(text), '«', '»')).replace(/(^|\n)—\s*/gu, '$1— '),
    title: oneCapital,
    speechByDash: true,
  },
};

const plain: Typography = { typeset: (text) => text, title: (text) => text, speechByDash: false };

export function typographyOf(language: string): Typography {
  return known[baseCode(language)] ?? plain;
}
