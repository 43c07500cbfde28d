import { baseCode, scriptOf } from './languages.ts';
import { isUnspaced, type Script, script, scriptAt, scriptsOfLanguage } from './scripts.ts';

/**
 * Tokens of a text, near enough for planning. With a language, characters of its own scripts, spaces and punctuation are
 * divided by what one token of that language holds. Everything else is divided by what a token of its script holds. How
 * close this is to a real tokenizer: docs/decisions/2026-11-15-token-estimate.md.
 * @param language a canonical code as in `languages.ts`
 */
export function estimateTokens(text: string, language?: string): number {
  // Most English: planning measures every paragraph of a book.
  if (language === undefined && plainLatin.test(text))
    return Math.ceil(text.length / charactersPerTokenOf(script.latin));
  const perToken = language && (charactersPerToken[language] ?? charactersPerToken[baseCode(language)]);
  const ownScripts = language ? scriptsOfLanguage(scriptOf(language)) : [];
  let tokens = 0;
  for (const [found, count] of countUnits(text)) {
    const isOwn = perToken && (found < script.latin || ownScripts.includes(found));
    tokens += count / (isOwn ? perToken : charactersPerTokenOf(found));
  }
  return Math.ceil(tokens);
}

/** ASCII without digits, and the dashes and quotation marks of printed books. */
const plainLatin = /^[\u0000-\u002f\u003a-\u007f\u2010-\u2027]*$/;

/** UTF-16 units of each script. */
function countUnits(text: string): [Script, number][] {
  const counts = new Array<number>(14).fill(0);
  for (let i = 0; i < text.length; i++) (counts[scriptAt(text, i)] as number) += 1;
  return counts.flatMap((count, found) => (count > 0 ? [[found as Script, count]] : []));
}

/** Without a language. Tokenizers of current models lie between 0.8 and 1.2 times this on novels in large languages. */
function charactersPerTokenOf(found: Script): number {
  if (isUnspaced(found) || found === script.hangul) return 1;
  return found === script.latin || found === script.none ? 4 : 2.5;
}

/** Measured with o200k_base on `test/language/language-samples.ts`, rounded to 0.05; Chinese, Korean and Russian on novels too. */
// biome-ignore format: a table of 79 short entries
const charactersPerToken: Readonly<Record<string, number>> = {
  af: 3.55, am: 0.55, ar: 3.1, az: 2.8, be: 2.6, bg: 2.65, bn: 2.75, bs: 3, ca: 3.3, cs: 2.6, cy: 3.05, da: 3.6,
  de: 4.3, el: 2.5, en: 4.45, eo: 3, es: 3.55, et: 3.2, eu: 3, fa: 2.7, fi: 3.25, fil: 3.5, fr: 3.85, ga: 3.15,
  gl: 3.3, gu: 2.65, he: 2.45, hi: 2.9, hr: 3.05, hu: 2.65, hy: 2.55, id: 3.95, is: 3.15, it: 3.4, ja: 1.15, ka:
  2.7, kk: 2.8, km: 1.5, kn: 2.65, ko: 1.55, ky: 3.05, la: 3.45, lo: 0.55, lt: 2.55, lv: 2.65, mk: 2.55, ml: 2.75,
  mn: 2.45, mr: 2.5, ms: 3.85, my: 1.9, nb: 3.7, ne: 2.4, nl: 4.1, nn: 3.5, pa: 2, pl: 2.8, ps: 2.45, pt: 3.6, ro:
  2.85, ru: 3.3, si: 1.9, sk: 2.7, sl: 3, so: 3.05, sq: 2.9, sr: 2.75, sv: 3.5, sw: 3.25, ta: 2.9, te: 2.6, th:
  2.25, tr: 3.05, uk: 2.7, ur: 2.95, uz: 3, vi: 3.1, 'zh-Hans': 1.1, 'zh-Hant': 1.05, zh: 1.1,
};
