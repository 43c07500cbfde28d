/**
 * What the words without any accent say about the language of a text whose encoding is not known yet. They are the same in every
 * encoding, and there are many of them: a Dutch text is Dutch before its first ë is looked at.
 */
import { stopWordsOf } from '../../language/stop-words.ts';
import { legacyEncodings } from './encodings.ts';

/** Bits against each language of the Latin alphabet: 0 for the likeliest. */
export type LanguageEvidence = ReadonlyMap<string, number>;

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
