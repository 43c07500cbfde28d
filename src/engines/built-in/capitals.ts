/** A line in capitals, as titles often are: the model reads it in small letters, and its translation gets the capitals back. */
import type { TermPair } from './term-places.ts';

export interface Capitals {
  text: string;
  restore(translation: string, language: string): string;
}

export function lowerCapitals(text: string, terms: readonly TermPair[], isHeading: boolean): Capitals {
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  // One word of a paragraph may be initials, and a short one a numeral.
  const isLoud = words.join('').length > 4 && (isHeading || words.length > 1) && !/\p{Ll}/u.test(text);
  if (!isLoud) return { text, restore: (translation) => translation };
  return {
    text: inSmallLetters(text, terms),
    restore: (translation, language) => translation.toLocaleUpperCase(language),
  };
}

/** Names and numerals keep what they have. */
function inSmallLetters(text: string, terms: readonly TermPair[]): string {
  const lower = text
    .replace(/\p{L}[\p{L}\p{M}]*/gu, (word) => (/^[IVXLC]+$/u.test(word) ? word : word.toLowerCase()))
    .replace(
      /(^|[.!?…]\s+|\n)((?:[\dIVXLC]+[.:)]?\s+)?["“«—\s]*)(\p{Ll})/gu,
      (_, before: string, marks: string, letter: string) => before + marks + letter.toUpperCase(),
    );
  return terms.reduce((all, { source }) => {
    const name = new RegExp(String.raw`(?<![\p{L}\p{M}])${RegExp.escape(source)}(?![\p{L}\p{M}])`, 'giu');
    return all.replace(name, () => source);
  }, lower);
}
