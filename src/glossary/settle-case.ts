import type { Term } from '../term.ts';
import { findTerms, indexTerms, normalizeForMatching } from './match.ts';

/**
 * Decides for each term whether letter case matters, by comparing what it matches with and without it. A book with a
 * girl called May also says "may"; a book about Qi may write "qi" and mean the same.
 */
export function settleCase(terms: readonly Term[], texts: Iterable<string>, language: string): Term[] {
  const open = terms.filter((term) => term.caseSensitive === undefined && isCapitalisedWord(term.source));
  if (open.length === 0) return [...terms];
  const index = indexTerms(
    open.map((term) => ({ source: term.source })),
    language,
  );
  const capitalised = new Map<string, number>();
  const lower = new Map<string, number>();
  for (const text of texts) {
    const normalized = normalizeForMatching(text);
    for (const { term, start } of findTerms(text, index)) {
      const first = normalized[start] ?? '';
      const counts = first === first.toLowerCase() ? lower : capitalised;
      counts.set(term.source, (counts.get(term.source) ?? 0) + 1);
    }
  }
  const decided = new Set(open);
  return terms.map((term) => {
    if (!decided.has(term)) return term;
    const lowerCount = lower.get(term.source) ?? 0;
    // An invented concept is written both ways by careless authors; a name never is.
    const tolerated = conceptTypes.has(term.type) ? 3 * (capitalised.get(term.source) ?? 0) : 0;
    return { ...term, caseSensitive: lowerCount > tolerated };
  });
}

const conceptTypes = new Set(['item', 'skill', 'species', 'title', 'concept']);

function isCapitalisedWord(source: string): boolean {
  return !/\s/.test(source.trim()) && source !== source.toLowerCase();
}
