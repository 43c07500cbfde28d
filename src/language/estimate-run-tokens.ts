/**
 * What translating a text will cost in tokens, before it is done. The source is estimated by language; the length of the
 * translation is not known yet, so it is a range.
 */
import { estimateTokens } from './estimate-tokens.ts';
import { baseCode } from './languages.ts';

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

/**
 * How many tokens a translation takes per token of its source. From one scene told in every language
 * (`test/language/language-samples.ts`) and counted with o200k_base: a pair's ratio is the quotient of the two. Rounded
 * to 5, since tellings of the same scene differ by that much anyway.
 */

// biome-ignore format: a table of 80 short entries
const sceneTokens: Readonly<Record<string, number>> = {
  af: 115, am: 465, ar: 115, az: 125, be: 120, bg: 120, bn: 125, bs: 110, ca: 110, cs: 110, cy: 125, da: 105, de: 100,
  el: 155, en: 95, eo: 120, es: 100, et: 105, eu: 130, fa: 115, fi: 105, fil: 125, fr: 105, ga: 150, gl: 105, gu: 125,
  he: 110, hi: 120, hr: 110, hu: 130, hy: 125, id: 100, is: 110, it: 105, ja: 125, ka: 115, kk: 125, km: 230, kn: 140,
  ko: 105, ky: 115, la: 95, lo: 525, lt: 125, lv: 130, mk: 135, ml: 150, mn: 145, mr: 140, ms: 110, my: 220, nb: 95,
  ne: 145, nl: 100, nn: 100, no: 95, pa: 160, pl: 115, ps: 130, pt: 100, ro: 115, ru: 105, si: 185, sk: 105, sl: 105,
  so: 135, sq: 120, sr: 115, sv: 105, sw: 120, ta: 155, te: 135, th: 125, tr: 105, uk: 120, ur: 120, uz: 125, vi: 115,
  'zh-Hans': 110, 'zh-Hant': 125,
};

/** A fifth to either side: styles of translation differ by about as much as tellings of the scene. */
const spread = 0.2;

function sceneTokensIn(code: string): number {
  const key = code === 'zh' || code === 'zh-CN' ? 'zh-Hans' : code === 'zh-TW' || code === 'zh-HK' ? 'zh-Hant' : code;
  return sceneTokens[key] ?? sceneTokens[baseCode(key)] ?? 115;
}
