/**
 * How many bits a decoding costs under the frequency of the language it claims to be: the right one of several possible
 * decodings is the cheapest. A bit here is a bit of cross-entropy; the constants are rounded from the frequencies of
 * ordinary prose, and only their order of magnitude matters (right decodings of our samples cost 2–7 bits per byte beyond
 * ASCII, wrong ones 8–16).
 */
import { commonHangul, commonKanji, hanziPairs, sharedHanzi } from '../../language/common-characters.ts';
import type { LegacyEncoding } from './encodings.ts';

/** Bits of `text` in its costly part, everything beyond ASCII. */
export function decodingBits(text: string, encoding: LegacyEncoding): number {
  if (encoding.script !== 'alphabet') return asianBits(text, encoding.script);
  const counts = countLetters(text);
  return Math.min(...encoding.profiles.map((profile) => alphabetBits(counts, profile)));
}

const everyday = 7.5;
const known = 10;
const rare = 15;
const implausible = 18;
const wordlike = /[\p{L}\p{M}]/u;

const simplified = new Set([...hanziPairs].filter((_, i) => i % 2 === 0));
const traditional = new Set([...hanziPairs].filter((_, i) => i % 2 === 1));
const shared = new Set(sharedHanzi);
const kanji = new Set(commonKanji);
const hangul = new Set(commonHangul);

function asianBits(text: string, script: 'han' | 'japanese' | 'hangul'): number {
  let bits = 0;
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    if (code >= 0x80) bits += asianCharacterBits(char, code, script);
  }
  return bits;
}

function asianCharacterBits(char: string, code: number, script: 'han' | 'japanese' | 'hangul'): number {
  if (code >= 0x4e00 && code <= 0x9fff) {
    if (script === 'hangul') return implausible;
    if (script === 'japanese') return kanji.has(char) ? everyday : known + 2;
    if (shared.has(char)) return everyday;
    return simplified.has(char) || traditional.has(char) ? known : rare;
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

function countLetters(text: string): LetterCounts {
  const letters = new Map<string, number>();
  let otherBits = 0;
  let before = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char >= '\u0080') {
      if (wordlike.test(char)) {
        const lower = char.toLowerCase();
        letters.set(lower, (letters.get(lower) ?? 0) + 1);
        // A capital inside a word is how KOI8 looks when read as Windows-1251, and the other way round.
        if (lower !== char && isLower(before)) otherBits += 10;
      } else otherBits += markBits(char, before, text[i + 1] ?? '');
    }
    before = char;
  }
  return { letters, otherBits };
}

function alphabetBits(counts: LetterCounts, profile: string): number {
  const bitsOf = letterBits(profile);
  let bits = counts.otherBits;
  for (const [letter, count] of counts.letters) bits += count * (bitsOf.get(letter) ?? 12);
  return bits;
}

const proseMarks = new Set('“”‘’„‚«»‹›—–…¿¡№\u00a0§°·•');

function markBits(mark: string, before: string, after: string): number {
  const insideWord = wordlike.test(before) && wordlike.test(after);
  // The typographic apostrophe and dashes stand between letters in ordinary prose; nothing else does.
  if (insideWord) return mark === '’' ? 5 : mark === '—' || mark === '–' || mark === '\u00a0' || mark === '…' ? 7 : 16;
  return proseMarks.has(mark) ? 5 : 11;
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
