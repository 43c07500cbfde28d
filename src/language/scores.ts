/**
 * How near translations come to references: BLEU and chrF2 of a whole text. They are computed as sacreBLEU 2 computes them by default, so
 * that the figures can be set beside those of others.
 */
import { baseCode } from './languages.ts';

export interface Score {
  score: number;
  /** How it was computed, in the words of sacreBLEU's signatures. */
  signature: string;
}

/** The names of sacreBLEU: `13a` cuts at spaces and marks, `zh` cuts Chinese characters too, `char` makes a word of every character. */
export type Tokenizer = '13a' | 'zh' | 'char';

/** sacreBLEU's own choice; where that needs a dictionary (Japanese, Korean), characters. */
export function tokenizerFor(targetLang: string): Tokenizer {
  const code = baseCode(targetLang);
  if (code === 'zh') return 'zh';
  return code === 'ja' || code === 'ko' ? 'char' : '13a';
}

/**
 * @param reference a line for every line of `translations`
 * @throws RangeError when it has another number of lines
 */
export function bleu(
  translations: readonly string[],
  reference: readonly string[],
  tokenizer: Tokenizer = '13a',
): Score {
  const tokensOf = tokenizers[tokenizer];
  const counts = Array.from({ length: wordOrder }, () => ({ matched: 0, all: 0 }));
  const lengths = { own: 0, reference: 0 };
  for (const [translation, line] of aligned(translations, reference)) {
    const [own, wanted] = [tokensOf(translation), tokensOf(line)];
    lengths.own += own.length;
    lengths.reference += wanted.length;
    for (const [i, count] of counts.entries()) {
      count.matched += overlap(ngrams(own, i + 1, ' '), ngrams(wanted, i + 1, ' '));
      count.all += Math.max(0, own.length - i);
    }
  }
  const signature = `nrefs:1|case:mixed|eff:no|tok:${tokenizer}|smooth:exp`;
  return { score: brevity(lengths) * geometricMean(counts), signature };
}

const wordOrder = 4;
const characterOrder = 6;
const beta = 2;

/** @throws RangeError when the reference has another number of lines */
export function chrF(translations: readonly string[], reference: readonly string[]): Score {
  const total = Array.from({ length: characterOrder }, () => ({ own: 0, wanted: 0, matched: 0 }));
  for (const [translation, line] of aligned(translations, reference)) {
    const [own, wanted] = [characterGrams(translation), characterGrams(line)];
    for (const [i, sum] of total.entries()) {
      const [grams, others] = [own[i] ?? new Map(), wanted[i] ?? new Map()];
      // Runs that are longer than the whole reference are neither right nor wrong.
      sum.own += others.size === 0 ? 0 : sizeOf(grams);
      sum.wanted += sizeOf(others);
      sum.matched += overlap(grams, others);
    }
  }
  const signature = `nrefs:1|case:mixed|eff:yes|nc:${characterOrder}|nw:0|space:no`;
  return { score: fScore(total), signature };
}

function aligned(translations: readonly string[], reference: readonly string[]): [string, string][] {
  if (reference.length !== translations.length)
    throw new RangeError('a reference needs one line for every line of the translation');
  return translations.map((translation, i) => [translation, reference[i] ?? '']);
}

/** Shorter than the reference is worse, longer is not. */
function brevity({ own, reference }: { own: number; reference: number }): number {
  if (own === 0) return 0;
  return own < reference ? Math.exp(1 - reference / own) : 1;
}

/** In per cent. An order without any match counts as half a match, the next as a quarter: one missing order is not all. */
function geometricMean(counts: readonly { matched: number; all: number }[]): number {
  if (counts.every(({ matched }) => matched === 0)) return 0;
  let smoothing = 1;
  let logarithms = 0;
  for (const { matched, all } of counts) {
    if (all === 0) return 0;
    if (matched === 0) smoothing *= 2;
    logarithms += Math.log(matched === 0 ? 100 / (smoothing * all) : (100 * matched) / all);
  }
  return Math.exp(logarithms / counts.length);
}

/** Words and marks as the campaigns for machine translation have cut them since 2009. */
function tokens13a(line: string): string[] {
  const plain = line
    .trimEnd()
    .replaceAll('<skipped>', '')
    .replaceAll('-\n', '')
    .replaceAll('\n', ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
  return wordsAndMarks(plain);
}

/**
 * Chinese characters, their marks and whatever stands in the ranges that sacreBLEU takes for them. Its range for the second plane was
 * written so that it means U+2001 to U+2A6D, where quotation marks and dashes are.
 */
const takenForChinese =
  /[\u2001-\u2a6d\u2e80-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef\u3200-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef]/gu;

function tokensZh(line: string): string[] {
  return wordsAndMarks(line.trim().replace(takenForChinese, ' $& '));
}

function tokensChar(line: string): string[] {
  return [...line].filter((character) => !/\s/u.test(character));
}

const tokenizers: Readonly<Record<Tokenizer, (line: string) => string[]>> = {
  '13a': tokens13a,
  zh: tokensZh,
  char: tokensChar,
};

function wordsAndMarks(text: string): string[] {
  return ` ${text} `
    .replace(/([{-~[-` -&(-+:-@/])/g, ' $1 ')
    .replace(/([^0-9])([.,])/g, '$1 $2 ')
    .replace(/([.,])([^0-9])/g, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ')
    .split(/\s+/)
    .filter((token) => token !== '');
}

type Grams = ReadonlyMap<string, number>;

function characterGrams(line: string): Grams[] {
  const characters = [...line.replace(/\s+/g, '')];
  return Array.from({ length: characterOrder }, (_, i) => ngrams(characters, i + 1, ''));
}

/** Over the orders that both sides have, in per cent; recall counts twice as much as precision. */
function fScore(all: readonly { own: number; wanted: number; matched: number }[]): number {
  const orders = all.filter(({ own, wanted }) => own > 0 && wanted > 0);
  if (orders.length === 0) return 0;
  const precision = orders.reduce((sum, { own, matched }) => sum + matched / own, 0) / orders.length;
  const recall = orders.reduce((sum, { wanted, matched }) => sum + matched / wanted, 0) / orders.length;
  if (precision + recall === 0) return 0;
  return (100 * (1 + beta ** 2) * precision * recall) / (beta ** 2 * precision + recall);
}

function ngrams(items: readonly string[], n: number, glue: string): Grams {
  const counts = new Map<string, number>();
  for (let i = 0; i + n <= items.length; i++) {
    const gram = items.slice(i, i + n).join(glue);
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

function overlap(a: Grams, b: Grams): number {
  let common = 0;
  for (const [gram, count] of a) common += Math.min(count, b.get(gram) ?? 0);
  return common;
}

function sizeOf(counts: Grams): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
