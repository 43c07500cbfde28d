import type { Term } from '../term.ts';
import { countTerms } from './match.ts';

/**
 * Decides for each term whether letter case matters, by comparing what it matches with and without it. A book with a
 * girl called May also says "may"; a book about Qi may write "qi" and mean the same.
 */
export function settleCase(terms: readonly Term[], texts: Iterable<string>, language: string): Term[] {
  const open = terms.filter((term) => term.caseSensitive === undefined && isCapitalisedWord(term.source));
  if (open.length === 0) return [...terms];
  const sources = open.map(({ source }) => ({ source }));
  const counts = countTerms(sources, texts, language);
  const decided = new Set(open);
  return terms.map((term) => {
    if (!decided.has(term)) return term;
    const { all, small } = counts.get(term.source) ?? { all: 0, small: 0 };
    // An invented concept is written both ways by careless authors; a name never is.
    const tolerated = conceptTypes.has(term.type) ? 3 * (all - small) : 0;
    return { ...term, caseSensitive: small > tolerated };
  });
}

const conceptTypes = new Set(['item', 'skill', 'species', 'title', 'concept']);

function isCapitalisedWord(source: string): boolean {
  return !/\s/.test(source.trim()) && source !== source.toLowerCase();
}
