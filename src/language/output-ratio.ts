import { baseCode } from './languages.ts';

/**
 * How many tokens a translation takes per token of its source. From one scene told in every language
 * (`test/language/language-samples.ts`) and counted with o200k_base: a pair's ratio is the quotient of the two. Rounded
 * to 5, since tellings of the same scene differ by that much anyway.
 */

const sceneTokens: Readonly<Record<string, number>> = {
  af: 115,
  am: 465,
  ar: 115,
  az: 125,
  be: 120,
  bg: 120,
  bn: 125,
  bs: 110,
  ca: 110,
  cs: 110,
  cy: 125,
  da: 105,
  de: 100,
  el: 155,
  en: 95,
  eo: 120,
  es: 100,
  et: 105,
  eu: 130,
  fa: 115,
  fi: 105,
  fil: 125,
  fr: 105,
  ga: 150,
  gl: 105,
  gu: 125,
  he: 110,
  hi: 120,
  hr: 110,
  hu: 130,
  hy: 125,
  id: 100,
  is: 110,
  it: 105,
  ja: 125,
  ka: 115,
  kk: 125,
  km: 230,
  kn: 140,
  ko: 105,
  ky: 115,
  la: 95,
  lo: 525,
  lt: 125,
  lv: 130,
  mk: 135,
  ml: 150,
  mn: 145,
  mr: 140,
  ms: 110,
  my: 220,
  nb: 95,
  ne: 145,
  nl: 100,
  nn: 100,
  no: 95,
  pa: 160,
  pl: 115,
  ps: 130,
  pt: 100,
  ro: 115,
  ru: 105,
  si: 185,
  sk: 105,
  sl: 105,
  so: 135,
  sq: 120,
  sr: 115,
  sv: 105,
  sw: 120,
  ta: 155,
  te: 135,
  th: 125,
  tr: 105,
  uk: 120,
  ur: 120,
  uz: 125,
  vi: 115,
  'zh-Hans': 110,
  'zh-Hant': 125,
};

/** A fifth to either side: styles of translation differ by about as much as tellings of the scene. */
const spread = 0.2;

export function outputRatio(sourceLang: string, targetLang: string | undefined): { low: number; high: number } {
  const source = tokensFor(sourceLang);
  const target = targetLang === undefined ? source : tokensFor(targetLang);
  const ratio = target / source;
  return { low: ratio * (1 - spread), high: ratio * (1 + spread) };
}

function tokensFor(code: string): number {
  const key = code === 'zh' || code === 'zh-CN' ? 'zh-Hans' : code === 'zh-TW' || code === 'zh-HK' ? 'zh-Hant' : code;
  return sceneTokens[key] ?? sceneTokens[baseCode(key)] ?? 115;
}
