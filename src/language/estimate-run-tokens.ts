/**
 * What translating a text will cost in tokens, before it is done. Source tokens are counted with a real tokenizer
 * (o200k_base: the vocabularies of other current models differ from it by some 10–20 %); the length of the translation is
 * not known yet, so it is a range.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { outputRatio } from './output-ratio.ts';

export interface TokenEstimateOptions {
  /** Canonical codes as in `languages.ts`. */
  sourceLang: string;
  /** Undefined when the partner did not name one: the output is then taken to be as long as the source. */
  targetLang: string | undefined;
  /** Planned calls to the engine, from the same plan the translation uses. */
  segments: number;
  /** Instructions, glossary and context sent along with each segment. */
  overheadTokensPerSegment: number;
  /** Read beforehand to find names and terms, as a multiple of the source. */
  analysisRatio: number;
}

export interface TokenEstimate {
  sourceTokens: number;
  /** Source, analysis and overhead: what the engine reads. */
  inputTokens: number;
  outputTokens: { low: number; high: number };
  /** Input and the middle of the output range. */
  totalTokens: number;
}

/** `texts` are the blocks to be translated. Exact for the source up to 24,000 characters, extrapolated beyond. */
export function estimateTokens(texts: readonly string[], options: TokenEstimateOptions): TokenEstimate {
  const sourceTokens = countSourceTokens(texts);
  const overhead = options.segments * options.overheadTokensPerSegment;
  const inputTokens = Math.round(sourceTokens * (1 + options.analysisRatio) + overhead);
  const ratio = outputRatio(options.sourceLang, options.targetLang);
  const outputTokens = { low: Math.round(sourceTokens * ratio.low), high: Math.round(sourceTokens * ratio.high) };
  return {
    sourceTokens,
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + Math.round((outputTokens.low + outputTokens.high) / 2),
  };
}

/** Chinese takes 7 µs a character, so this many take at most a fifth of a second; the sample is then off by under 3 %. */
const exactCharacters = 24_000;

export function countSourceTokens(texts: readonly string[]): number {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length <= exactCharacters) return texts.reduce((sum, text) => sum + tokensOf(text), 0);
  // Every n-th block, from the start to the end of the book: dialogue and description in their real proportion.
  const step = length / exactCharacters;
  let sampled = 0;
  let tokens = 0;
  let due = 0;
  for (let i = 0; i < texts.length; i++) {
    if (i < Math.floor(due)) continue;
    due += step;
    // One endless paragraph must not take the whole budget.
    const text = (texts[i] as string).slice(0, exactCharacters / 8);
    sampled += text.length;
    tokens += tokensOf(text);
  }
  return sampled === 0 ? 0 : Math.round((tokens / sampled) * length);
}

/** The tokenizer is quadratic in the length of one word: 20,000 letters without a space take half a second. */
const maxRun = 2000;

function tokensOf(text: string): number {
  let tokens = 0;
  for (let from = 0; from < text.length; from += maxRun) {
    // A manuscript may contain the name of a control token; here it is text like any other.
    tokens += countTokens(text.slice(from, from + maxRun), { disallowedSpecial: new Set() });
  }
  return tokens;
}
