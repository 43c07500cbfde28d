/** Where the names and terms of a request stand in a sentence. */
import { isFormOf } from '../../language/inflection.ts';

export interface TermPair {
  source: string;
  target: string;
}

export interface TermPlace {
  start: number;
  end: number;
  target: string;
}

/** What hyphens and apostrophes join is several words here: d'Artagnan, lorsqu'Edmond, Villefort-Saran, Dantès-là; so are a name and its number. */
export const smallestWord = /[\p{L}\p{M}]+|\p{N}+/gu;

type Word = ReturnType<typeof wordsOf>[number];

/**
 * In reading order. The longest term wins where several fit, and of those the one that is spelt like the text. "Catalans" is no
 * form of "Catalan" where both are terms. Otherwise inflected forms count: Обломову is Обломов.
 */
export function findTermPlaces(text: string, terms: readonly TermPair[], language: string): TermPlace[] {
  const words = wordsOf(text);
  const wanted = terms
    .map(({ source, target }) => ({ parts: wordsOf(source), target }))
    .filter(({ parts }) => parts.length > 0)
    .sort((a, b) => b.parts.length - a.parts.length);
  const places: TermPlace[] = [];
  for (let i = 0; i < words.length; i++) {
    const fits = wanted.filter(({ parts }) => fitsAt(words, i, parts, language));
    const longest = fits.filter(({ parts }) => parts.length === fits[0]?.parts.length);
    const found =
      longest.find(({ parts }) => parts.every(({ folded }, k) => folded === words[i + k]?.folded)) ?? longest[0];
    if (found === undefined) continue;
    const [start, end] = [words[i]?.start ?? 0, words[i + found.parts.length - 1]?.end ?? 0];
    places.push({ start, end, target: found.target });
    i += found.parts.length - 1;
  }
  return places;
}

/** With what stands between each and the word before. */
function wordsOf(text: string) {
  let end = 0;
  return Array.from(text.matchAll(smallestWord), (match) => {
    const gap = text.slice(end, match.index).replace(/\s+/gu, ' ').replace('’', "'");
    end = match.index + match[0].length;
    return { text: match[0], folded: match[0].toLowerCase(), start: match.index, end, gap };
  });
}

function fitsAt(words: readonly Word[], at: number, parts: readonly Word[], language: string): boolean {
  const isForm = parts.every(({ folded, gap }, k) => {
    const word = words[at + k];
    return word !== undefined && (k === 0 || word.gap === gap) && isFormOf(word.folded, folded, language);
  });
  if (!isForm) return false;
  // A name is not found in ordinary words: "rose" is not "Rose". One capital of several shows it: "aux allées de Meilhan".
  const capitals = parts.flatMap(({ text }, k) => (isCapital(text) ? [words[at + k]?.text ?? ''] : []));
  return capitals.length === 0 || capitals.some(isCapital);
}

export function isCapital(word: string): boolean {
  return /^\p{Lu}/u.test(word);
}
