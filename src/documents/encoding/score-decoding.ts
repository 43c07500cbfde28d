/**
 * How many bits a decoding costs under the frequency of the language it claims to be. The right one of several possible
 * decodings is the cheapest. A bit here is a bit of cross-entropy. The constants are rounded from the frequencies of
 * ordinary prose, and only their order of magnitude matters. Right decodings of our samples cost 2–7 bits per byte beyond
 * ASCII, wrong ones 8–16.
 */
import { commonHangul, commonKanji, hanziPairs, sharedHanzi } from '../../language/common-characters.ts';
import { stopWordsOf } from '../../language/stop-words.ts';
import { type LegacyEncoding, languageLetters, legacyEncodings } from './encodings.ts';

/** Bits of `text` in its costly part, everything beyond ASCII. */
export function decodingBits(text: string, encoding: LegacyEncoding, evidence: LanguageEvidence): number {
  const { script, languages, hasLoneAccents = false } = encoding;
  if (script !== 'latin' && script !== 'other') return asianBits(text, script);
  const counts = countLetters(text, script, hasLoneAccents);
  const ofLanguages = languages.map(
    (language) => alphabetBits(counts, profiles.get(language) ?? new Map()) + (evidence.get(language) ?? 0),
  );
  // Nobody chooses an encoding for a script without a letter of it.
  if (script === 'other') return Math.min(...ofLanguages) + (counts.letters.size === 0 ? unusedScriptBits : 0);
  return Math.min(...ofLanguages, guestBits(counts, languages));
}

const unusedScriptBits = 12;

const everyday = 7.5;
const known = 10;
const rare = 15;
const implausible = 18;
const wordlike = /[\p{L}\p{M}]/u;

/** Simplified and traditional. */
const paired = new Set(hanziPairs);
const shared = new Set(sharedHanzi);
const kanji = new Set(commonKanji);
const hangul = new Set(commonHangul);

function asianBits(text: string, script: 'han' | 'japanese' | 'hangul'): number {
  let bits = 0;
  let before = '';
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    if (code >= 0x80) bits += asianCharacterBits(char, code, script);
    // Two letters of a Latin word, one of them accented, read as one character in the middle of that word.
    if (code >= 0x80 ? isAsciiLetter(before) && wordlike.test(char) : isAsciiLetter(char) && isBeyondAscii(before))
      bits += touchingScriptsBits;
    before = char;
  }
  return bits;
}

const touchingScriptsBits = 5;

function isAsciiLetter(char: string): boolean {
  return (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z');
}

function isBeyondAscii(char: string): boolean {
  return char >= '\u0080' && wordlike.test(char);
}

function asianCharacterBits(char: string, code: number, script: 'han' | 'japanese' | 'hangul'): number {
  if (code >= 0x4e00 && code <= 0x9fff) {
    if (script === 'hangul') return implausible;
    if (script === 'japanese') return kanji.has(char) ? everyday : known + 2;
    if (shared.has(char)) return everyday;
    return paired.has(char) ? known : rare;
  }
  if (code >= 0x3040 && code <= 0x30ff) return script === 'japanese' ? 5.5 : 13;
  if (code >= 0xac00 && code <= 0xd7a3) return script !== 'hangul' ? implausible : hangul.has(char) ? everyday : 11;
  // Full-width punctuation and the marks of East Asian prose.
  if ((code >= 0x3000 && code <= 0x303f) || (code >= 0xff01 && code <= 0xff5e)) return 6.5;
  if (code >= 0x2010 && code <= 0x203b) return 8;
  if (code >= 0xff61 && code <= 0xff9f) return implausible;
  if (code >= 0xe000 && code <= 0xf8ff) return 30;
  return rare;
}

/** What all profiles of an encoding are measured on, gathered in one pass. */
interface LetterCounts {
  letters: Map<string, number>;
  /** Bits that do not depend on the profile: marks, and capitals in the middle of words. */
  otherBits: number;
}

function countLetters(text: string, script: 'latin' | 'other', hasLoneAccents: boolean): LetterCounts {
  const letters = new Map<string, number>();
  let otherBits = 0;
  let before = '';
  /** Whether the last letter was Latin; undefined before the first. */
  let wasLatin: boolean | undefined;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    const isLetter = char >= '\u0080' ? wordlike.test(char) : isAsciiLetter(char);
    if (char >= '\u0080') {
      if (isLetter) {
        const lower = char.toLowerCase();
        letters.set(lower, (letters.get(lower) ?? 0) + 1);
        if (hasLoneAccents && isBeyondAscii(before)) otherBits += 5;
        // A capital inside a word is how KOI8 looks when read as Windows-1251, and the other way round.
        if (lower !== char && isLower(before)) otherBits += 10;
      } else otherBits += markBits(char, before, text[i + 1] ?? '');
    }
    if (isLetter && script === 'other') {
      const isLatin = char < '\u0080';
      // No word is written in two alphabets, and few texts change theirs from word to word.
      if (wasLatin !== undefined && wasLatin !== isLatin) otherBits += wordlike.test(before) ? 14 : 5;
      wasLatin = isLatin;
    }
    before = char;
  }
  return { letters, otherBits };
}

function alphabetBits(counts: LetterCounts, bitsOf: ReadonlyMap<string, number>): number {
  let bits = counts.otherBits;
  for (const [letter, count] of counts.letters) bits += count * (bitsOf.get(letter) ?? strangeLetterBits);
  return bits;
}

const strangeLetterBits = 12;

/** Names and words of the encoding's languages in a text of another one, such as Dvořák in English: possible, and rare. */
function guestBits(counts: LetterCounts, languages: readonly string[]): number {
  const letters = languages.flatMap((language) => [...(languageLetters[language] ?? '')]);
  return guestPriorBits + alphabetBits(counts, new Map(letters.map((letter) => [letter, guestLetterBits])));
}

const guestPriorBits = 10;
const guestLetterBits = 8.5;

/** Bits by letter and language. */
const profiles = new Map(Object.entries(languageLetters).map(([language, letters]) => [language, letterBits(letters)]));

const proseMarks = new Set('“”‘’„‚«»‹›—–…¿¡№\u00a0§°·•£€');
/** They open a quotation or a line, so they do not follow a letter. German closes with ‘ and “. */
const openingMarks = new Set('„‚¿¡•');
const closingMarks = new Set('‘“’”');

function markBits(mark: string, before: string, after: string): number {
  const [followsWord, precedesWord] = [wordlike.test(before), wordlike.test(after)];
  // The typographic apostrophe and dashes stand between letters in ordinary prose; nothing else does.
  if (followsWord && precedesWord)
    return mark === '’' || mark === '—' ? 4 : mark === '–' || mark === '\u00a0' || mark === '…' ? 7 : 16;
  if (!proseMarks.has(mark)) return followsWord || precedesWord ? 15 : 11;
  if (followsWord && openingMarks.has(mark)) return 13;
  // A quotation is closed after its full stop or comma more often than after a word.
  return followsWord && closingMarks.has(mark) && mark !== '’' && mark !== '”' ? 9 : 4;
}

function isLower(char: string): boolean {
  return char !== '' && char === char.toLowerCase() && char !== char.toUpperCase();
}

/** Letter frequencies fall off roughly exponentially; a tenth of the mass is left to letters of neighbouring languages. */
function letterBits(letters: string): Map<string, number> {
  const all = [...letters];
  const fall = Math.max(2, all.length / 4);
  const weights = all.map((_, rank) => Math.exp(-rank / fall));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return new Map(all.map((letter, rank) => [letter, -Math.log2((0.9 * (weights[rank] as number)) / sum)]));
}

/**
 * What the words without any accent say about the language of a text whose encoding is not known yet. They are the same in every
 * encoding, and there are many of them: a Dutch text is Dutch before its first ë is looked at.
 *
 * Bits against each language of the Latin alphabet: 0 for the likeliest.
 */
type LanguageEvidence = ReadonlyMap<string, number>;

/** One word more or less of a hundred is worth two bits in a hundred words. */
const bitsPerWord = 2;
/** Enough to be sure; more would only drown the letters. */
const maxWords = 3_000;
/** Said of a text by itself, such as `lang="nl"`: as much as a sentence of that language. */
const declaredBits = 12;

export function languageEvidence(bytes: Uint8Array, declaredLanguage?: string): LanguageEvidence {
  const words = plainWords(bytes);
  const shares = latinLanguages.map((language) => {
    const common = stopWordsOf(language);
    let count = 0;
    for (const word of words) if (common.has(word)) count++;
    return { language, bits: -count * bitsPerWord - (language === declaredLanguage ? declaredBits : 0) };
  });
  const best = Math.min(0, ...shares.map(({ bits }) => bits));
  return new Map(shares.map(({ language, bits }) => [language, bits - best]));
}

/** In lower case, without the inside of tags. A word that touches a byte beyond ASCII is not known as a whole. */
function plainWords(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString('latin1')
    .replace(/<[^<>]*>/g, ' ');
  const words: string[] = [];
  for (const [word] of text.matchAll(/(?<![\w\x80-\xff])[A-Za-z]{2,}(?![\w\x80-\xff])/g)) {
    words.push(word.toLowerCase());
    if (words.length === maxWords) break;
  }
  return words;
}

const latinLanguages = [
  ...new Set(legacyEncodings.flatMap((encoding) => (encoding.script === 'latin' ? encoding.languages : []))),
];
