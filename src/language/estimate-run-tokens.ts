/**
 * What translating a text will cost in tokens, before it is done. The source is estimated by language; the length of the
 * translation is not known yet, so it is a range.
 */
import { estimateTokens } from './estimate-tokens.ts';
import { measuresOf } from './measures.ts';

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
  const sourceScene = sceneTokensIn(options.sourceLang);
  const ratio = (options.targetLang === undefined ? sourceScene : sceneTokensIn(options.targetLang)) / sourceScene;
  const outputTokens = {
    low: Math.round(sourceTokens * (ratio * (1 - spread))),
    high: Math.round(sourceTokens * (ratio * (1 + spread))),
  };
  return {
    sourceTokens,
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + Math.round((outputTokens.low + outputTokens.high) / 2),
  };
}

/** A fifth to either side: styles of translation differ by about as much as tellings of the scene. */
const spread = 0.2;

/** A pair's ratio is the quotient of the two. */
function sceneTokensIn(code: string): number {
  const key = code === 'zh' || code === 'zh-CN' ? 'zh-Hans' : code === 'zh-TW' || code === 'zh-HK' ? 'zh-Hant' : code;
  return measuresOf(key).sceneTokens ?? 115;
}
