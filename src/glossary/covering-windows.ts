/**
 * Which parts of a book are read for its names where the script has no capitals. Statistics cannot tell 长安 from 长大, but they can tell
 * what comes again and again. The windows that are read hold every such string at least once, and are some two fifths of the book.
 * Every third window costs nearly as much and misses names that stand close together (`bench/names-asked.ts`).
 */
import { baseCode } from '../language/languages.ts';
import { splitText } from '../language/sentences.ts';
import { findTerms, indexTerms } from './match.ts';
import { countHanPairs, gluesSentences } from './mine/mine-han.ts';

/** What comes less often is noticed by nobody. */
const leastOccurrences = 3;
/** A few sentences: enough to see who somebody is, and little that says nothing new. */
const windowCharacters = 300;
/** The rest of a book repeats what was read, or has strings that no name is. */
const mostOfTheBook = 0.45;

/** Shorter texts are read whole. */
const shortestText = 15_000;

export function isReadByWindows(language: string, characters: number): boolean {
  return characters >= shortestText && ['zh', 'ja', 'ko'].includes(baseCode(language));
}

/** The same sections with only those parts of their paragraphs that are worth reading. @param candidates what certainly has to be seen */
export function coveringWindows(
  sections: readonly (readonly string[])[],
  language: string,
  candidates: readonly string[],
): string[][] {
  const windows = sections.flatMap((texts, section) => windowsOf(texts, section, language));
  const chosen = cover(windows, signsOf(windows, language, candidates));
  const read = sections.map((): string[] => []);
  for (const [i, { section, lines }] of windows.entries()) if (chosen[i]) read[section]?.push(lines.join('\n'));
  return read;
}

interface Window {
  section: number;
  lines: string[];
  length: number;
}

/** Whole paragraphs where they are short, sentences of long ones. */
function windowsOf(texts: readonly string[], section: number, language: string): Window[] {
  const windows: Window[] = [];
  for (const text of texts)
    for (const piece of text.length <= windowCharacters ? [text] : splitText(text, language, windowCharacters)) {
      const last = windows.at(-1);
      if (last === undefined || last.length + piece.length > windowCharacters)
        windows.push({ section, lines: [piece], length: piece.length });
      else {
        last.lines.push(piece);
        last.length += piece.length;
      }
    }
  return windows;
}

/** Strings that may be names or parts of them, as numbers: the same string has the same number. */
type Signs = Iterable<number>;

/** For each window the signs that it has to show, once each. */
function signsOf(windows: readonly Window[], language: string, candidates: readonly string[]): number[][] {
  const signs = baseCode(language) === 'zh' ? hanSigns(windows) : wordSigns(language);
  const counts = new Map<number, number>();
  for (const { lines } of windows)
    for (const line of lines) for (const sign of signs(line)) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  const mined = [...new Set(candidates)].map((source, i) => ({ source, number: -1 - i }));
  const index = indexTerms(mined, language);
  return windows.map(({ lines }) => {
    const own = new Set<number>();
    for (const line of lines)
      for (const sign of signs(line)) if ((counts.get(sign) ?? 0) >= leastOccurrences) own.add(sign);
    // Numbers below zero are nobody else's.
    for (const line of lines) for (const { term } of findTerms(line, index)) own.add(term.number);
    return [...own];
  });
}

/** Two characters that meet three times as often as by chance: 安 behind 长, 瑾 behind 葛. */
function hanSigns(windows: readonly Window[]): (line: string) => Signs {
  const { total, single, pair } = countHanPairs(windows.flatMap(({ lines }) => lines));
  return function* (line) {
    for (let i = 1; i < line.length; i++) {
      const [a, b] = [line.charCodeAt(i - 1), line.charCodeAt(i)];
      if (gluesSentences(a) || gluesSentences(b)) continue;
      if (pair(a, b) * total > 3 * single(a) * single(b)) yield a * 65_536 + b;
    }
  };
}

/** Runs of kanji and of katakana; the stems of Korean words, with particles of one syllable on them or not. */
const words: Readonly<Record<string, RegExp>> = {
  ja: /[ァ-ヺー]{2,20}|[\p{Script=Han}々]{2,6}/gu,
  ko: /(?<![가-힣])[가-힣]{2,3}/gu,
};

function wordSigns(language: string): (line: string) => Signs {
  const pattern = words[baseCode(language)] ?? /\p{L}{2,}/gu;
  const numbers = new Map<string, number>();
  const numberOf = (word: string): number => numbers.getOrInsert(word, numbers.size);
  return function* (line) {
    for (const [word] of line.matchAll(pattern)) {
      yield numberOf(word);
      // 露西亜 of 露西亜人: a name with something behind it.
      if (word.length > 3) yield numberOf(word.slice(0, 3));
    }
  };
}

/**
 * The window that shows most for its length first, until everything is shown or enough is read. The search goes in rounds, each for windows
 * that show at least four fifths of what those of the round before did. That is as good as looking for the best each time, and linear.
 */
function cover(windows: readonly Window[], signs: readonly (readonly number[])[]): boolean[] {
  const chosen = windows.map(() => false);
  const shown = new Set<number>();
  let left = windows.reduce((sum, { length }) => sum + length, 0) * mostOfTheBook;
  const gain = (i: number): number => {
    let count = 0;
    for (const sign of signs[i] ?? []) if (!shown.has(sign)) count += sign < 0 ? 3 : 1;
    return count / Math.max(1, windows[i]?.length ?? 1);
  };
  // What a window shows only gets less, so most need not be looked at again in a round.
  const gains = windows.map((_, i) => gain(i));
  const best = gains.reduce((most, each) => Math.max(most, each), 0);
  for (let least = best; least > best / 1_000; least *= 0.8)
    for (const [i, { length }] of windows.entries()) {
      if (chosen[i] || (gains[i] ?? 0) < least || left < length) continue;
      gains[i] = gain(i);
      if (gains[i] < least) continue;
      chosen[i] = true;
      left -= length;
      for (const sign of signs[i] ?? []) shown.add(sign);
    }
  return chosen;
}
