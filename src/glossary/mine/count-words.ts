/** One pass over the book: how often every word is capitalised where nothing but being a name explains it. */
import { baseCode } from '../../language/languages.ts';
import { stopWordsOf } from '../../language/stop-words.ts';
import { wordList } from '../../language/word-list.ts';
import { isFemaleTitle, isMaleTitle, isTitle } from '../titles.ts';
import { BoundedCounter } from './bounded-counter.ts';

export type WordCounts = ReturnType<typeof emptyCounts>;

function emptyCounts() {
  return {
    /** Capitalised inside a sentence: evidence for a name. */
    inside: new BoundedCounter(),
    /** Capitalised where every word is. */
    atStart: new BoundedCounter(),
    /** Small first letter; keys in lower case. */
    lower: new BoundedCounter(),
    /** Behind a form of address. */
    titled: new BoundedCounter(),
    female: new BoundedCounter(),
    male: new BoundedCounter(),
    /** Beside a verb of speech. */
    spoken: new BoundedCounter(),
    /** Right behind an article or another determiner. */
    determined: new BoundedCounter(),
    /** Of those, behind one that counts: `ein`, `kein`, `jeder`, a number. Only for German. */
    counted: new BoundedCounter(),
    /** Right behind `in`, `nach` or `aus`. Only for German. */
    placed: new BoundedCounter(),
    /** Behind an elided `d'`. */
    elided: new BoundedCounter(),
    /** Of those, where "of" makes no sense, as in "à d'Orval": the `d'` is part of the name. */
    particled: new BoundedCounter(),
    /** Several capitalised words in a row, connectors between them; keyed by the words with blanks. */
    runs: new BoundedCounter(),
    /** Of the runs, those that start inside a sentence. */
    runsInside: new BoundedCounter(),
    /** Capitalised inside a sentence, with no other such word before or behind it. */
    alone: new BoundedCounter(),
  };
}

export function countWords(texts: readonly string[], language: string): WordCounts {
  const counts = emptyCounts();
  const splitsElisions = ['fr', 'it', 'ca', 'oc'].includes(baseCode(language));
  const smallWords = splitsElisions ? stopWordsOf(language) : undefined;
  for (const text of texts) if (!isHeading(text)) countParagraph(text, counts, smallWords);
  return counts;
}

const maxRun = 5;
const maxWordLength = 40;

/** These join or deny what "of" governs: "et d'Arles", "pas d'Arles". */
const beforeOf: ReadonlySet<string> = new Set('et ou ni pas plus point jamais moins ed e o né non più i'.split(' '));

/** `smallWords` only for languages that write d'Artagnan. */
function countParagraph(text: string, counts: WordCounts, smallWords: ReadonlySet<string> | undefined): void {
  let run: string[] = [];
  let runInside = false;
  let before = '';
  let beforeThat = '';
  let end = 0;
  let isFirst = true;
  const close = (): void => {
    while (connectors.has(run.at(-1) ?? '')) run.pop();
    if (run.length > 1) {
      const key = run.join(' ');
      counts.runs.add(key);
      if (runInside) counts.runsInside.add(key);
    } else if (run[0] !== undefined && runInside) counts.alone.add(run[0]);
    run = [];
  };
  for (const match of text.matchAll(/\p{L}[\p{L}\p{M}]*(?:[’'-]\p{L}[\p{L}\p{M}]*)*/gu)) {
    const gap = text.slice(end, match.index);
    end = match.index + match[0].length;
    if (match[0].length > maxWordLength) {
      close();
      continue;
    }
    const elision = smallWords !== undefined ? /^(\p{L}{1,7})['’](\p{L}.*)$/u.exec(match[0]) : null;
    const isPossessive = /['’]s$/u.test(match[0]);
    const word = elision?.[2] ?? match[0].replace(/['’]s$/u, '');
    const abbreviated = /^\.[ \u00a0]*$/u.test(gap) && (isTitle(before) || before.length === 1);
    const inside = elision !== null || abbreviated || isInsideSentence(gap, isFirst);
    isFirst = false;
    const isJoined = run.length > 0 && run.length < maxRun && (gap === ' ' || (abbreviated && gap !== ''));
    if (!/^\p{Lu}/u.test(word) || isShouted(word)) {
      if (/^\p{Ll}/u.test(word)) counts.lower.add(word.toLowerCase());
      if (isJoined && connectors.has(word) && elision === null) run.push(word);
      else close();
      if (speechVerbs.has(word) && gap === ' ' && /^\p{Lu}/u.test(before)) counts.spoken.add(before);
    } else {
      (inside ? counts.inside : counts.atStart).add(word);
      const near = gap === ' ' || abbreviated ? before : '';
      if (isTitle(near)) counts.titled.add(word);
      if (isFemaleTitle(near)) counts.female.add(word);
      if (isMaleTitle(near)) counts.male.add(word);
      // German has an article before some names: sagte der Peter.
      const speaks = speechVerbs.has(/^(?:der|die|das)$/u.test(near) ? beforeThat : near);
      if (speaks) counts.spoken.add(word);
      const small = near.toLowerCase();
      if (determiners.has(small) || /\d[ \u00a0]$/u.test(gap)) counts.determined.add(word);
      if (countingWords.test(small)) counts.counted.add(word);
      if (small === 'in' || small === 'nach' || small === 'aus') counts.placed.add(word);
      if (elision?.[1]?.toLowerCase() === 'd') {
        counts.elided.add(word);
        const governor = before.toLowerCase();
        if (gap === ' ' && smallWords?.has(governor) && !beforeOf.has(governor)) counts.particled.add(word);
      }
      if (!isJoined || elision !== null) {
        close();
        runInside = inside;
      }
      run.push(word);
      // A possessive ends a name: "Alice's Kelly" is none.
      if (isPossessive) close();
    }
    beforeThat = before;
    before = word;
  }
  close();
}

/**
 * Whether a capital is explained by its place. A sentence starts after its predecessor's end, and also after everything
 * that opens speech. These are quotation marks, brackets and dashes of every style (`--Et`, `— Да`, `-No`, `« Oui`),
 * colons and line breaks. Only blanks and commas leave a word inside its sentence.
 */
function isInsideSentence(gap: string, isFirst: boolean): boolean {
  return !isFirst && /^[ \u00a0\u202f\t]*,?[ \u00a0\u202f\t]+$/u.test(gap);
}

/** Headings and lines of a contents page: short, and without the end of a sentence. Their capitals mean nothing. */
function isHeading(paragraph: string): boolean {
  if (paragraph.length > 90) return false;
  // German closes speech with “ or «.
  return !/[.!?…。！？»«”“"'’‘)\]:;,—–-]\s*$/u.test(paragraph) || /(?:[.…·]\s*){3,}\d*\s*$/u.test(paragraph);
}

/** All capitals: a heading, an acronym or emphasis. */
function isShouted(word: string): boolean {
  return word.length > 1 && word === word.toUpperCase() && word !== word.toLowerCase();
}

export const connectors: ReadonlySet<string> = new Set(
  'of de del della delle dei di da do dos das du des la le van von af av bin ibn'.split(' '),
);

const countingWords =
  /^(?:k?ein(?:e[nmrs]?)?|(?:jede|manche)[nmrs]?|viele[nr]?|wenige[nr]?|einige[nr]?|mehrere[nr]?|zwei|drei|vier)$/u;

const determiners = wordList(new URL('german-determiners.txt', import.meta.url));
const speechVerbs = wordList(new URL('speech-verbs.txt', import.meta.url));
