/**
 * What translating a text will cost in tokens, before it is done. The source is estimated by language; the length of the
 * translation is not known yet, so it is a range.
 */
import { estimateTokens } from './estimate-tokens.ts';
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

/** `texts` are the blocks to be translated. */
export function estimateRunTokens(texts: readonly string[], options: TokenEstimateOptions): TokenEstimate {
  const sourceTokens = texts.reduce((sum, text) => sum + estimateTokens(text, options.sourceLang), 0);
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
