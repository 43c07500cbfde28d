/** German writes nouns with a capital as it does names, so only knowing them tells the two apart. */
import { wordList } from './word-list.ts';

const nouns = wordList(new URL('german-nouns.txt', import.meta.url));
const givenNames = wordList(new URL('german-given-names.txt', import.meta.url));

const endings = ['n', 'en', 'e', 'er', 'ern', 's', 'es', 'ns', 'in', 'innen'];
const suffixes = /(?:ung|heit|keit|schaft|ität|nis|niß|tum|thum|chen|lein|ismus|erei|ling)(?:e|en|s|es|er|n)?$/u;

/** A noun of the list, in any of its forms: `Nächte`, `Köchinnen`. */
export function isGermanNoun(word: string): boolean {
  if (nouns.has(word)) return true;
  return endings.some((ending) => word.endsWith(ending) && nouns.has(word.slice(0, -ending.length)));
}

/** Made of ordinary parts: `Heuboden`, `Freundlichkeit`. Many a surname is too: `Hartmann`, `Rosenthal`. */
export function looksLikeGermanNoun(word: string): boolean {
  if (suffixes.test(word)) return true;
  for (let at = 3; at <= word.length - 4; at++) {
    const last = word.slice(at);
    if (isGermanNoun(last.charAt(0).toUpperCase() + last.slice(1))) return true;
  }
  return false;
}

export function isGermanGivenName(word: string): boolean {
  return givenNames.has(word);
}
