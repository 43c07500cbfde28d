import { isUnspaced, script, scriptAt } from './scripts.ts';

/**
 * Tokens of a text, near enough for planning: one per CJK character, syllable or symbol run, one per 4 Latin letters,
 * one per 2.5 letters of other alphabets (tokenisers of current models lie between 0.8 and 1.2 times this on novels).
 */
export function estimateTokens(text: string): number {
  let whole = 0;
  let latin = 0;
  let letters = 0;
  for (let i = 0; i < text.length; i++) {
    const found = scriptAt(text, i);
    if (isUnspaced(found) || found === script.hangul) whole++;
    else if (found === script.latin || found === script.none) latin++;
    else letters++;
  }
  return Math.ceil(whole + latin / 4 + letters / 2.5);
}
