/** Which language a text is in by its commonest words: works on a sentence, and says nothing about invented words. */
import { languagesWithStopWords, stopWordsOf } from './stop-words.ts';

export interface CommonWordMatch {
  /** ISO 639-1 code. */
  code: string;
  /** Share of the text's words that are common words of this language. */
  share: number;
  /** How many different ones. */
  distinct: number;
}

/** Best first. Only the first 400 words are looked at. */
export function matchCommonWords(text: string): { words: number; matches: CommonWordMatch[] } {
  const words = wordsOf(text);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const hits = new Map<string, { count: number; distinct: number }>();
  for (const [word, count] of counts) {
    for (const code of languagesOf(word)) {
      const hit = hits.getOrInsertComputed(code, () => ({ count: 0, distinct: 0 }));
      hit.count += count;
      hit.distinct++;
    }
  }
  const matches = [...hits].map(([code, { count, distinct }]) => ({ code, share: count / words.length, distinct }));
  return { words: words.length, matches: matches.sort((a, b) => b.share - a.share || b.distinct - a.distinct) };
}

/** Share of the words that are common words of one language. */
export function commonWordShare(text: string, language: string): number {
  const words = wordsOf(text);
  const own = stopWordsOf(language);
  return words.length === 0 ? 0 : words.filter((word) => own.has(word)).length / words.length;
}

const maxWords = 400;

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text
    .slice(0, 8_000)
    .normalize('NFC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{M}]+/gu)) {
    words.push(word);
    if (words.length === maxWords) break;
  }
  return words;
}

let byWord: Map<string, string[]> | undefined;

/** Some 15,000 words; built when first asked for. */
function languagesOf(word: string): readonly string[] {
  if (byWord === undefined) {
    byWord = new Map();
    for (const code of languagesWithStopWords()) {
      for (const one of stopWordsOf(code)) byWord.getOrInsertComputed(one, () => []).push(code);
    }
  }
  return byWord.get(word) ?? [];
}
