import { scriptOf } from './languages.ts';
import { measuresOf } from './measures.ts';
import { isUnspaced, type Script, script, scriptAt, scriptsOfLanguage } from './scripts.ts';

/**
 * Tokens of a text, near enough for planning. With a language, characters of its own scripts, spaces and punctuation are
 * divided by what one token of that language holds. Everything else is divided by what a token of its script holds. How
 * close this is to a real tokenizer: docs/decisions/2026-11-15-token-estimate.md.
 * @param language a canonical code as in `languages.ts`
 */
export function estimateTokens(text: string, language?: string): number {
  const perToken = language && measuresOf(language).charactersPerToken;
  const ownScripts = language ? scriptsOfLanguage(scriptOf(language)) : [];
  let tokens = 0;
  for (const [found, count] of countUnits(text)) {
    const isOwn = perToken && (found < script.latin || ownScripts.includes(found));
    tokens += count / (isOwn ? perToken : charactersPerTokenOf(found));
  }
  return Math.ceil(tokens);
}

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
