/**
 * A glossary without a model that reads: names that the statistics of the whole book found. Latin ones are copied,
 * Cyrillic ones transliterated by one table, countries given by their own name in the target language. Nothing is
 * guessed, so a name is the same on every page.
 */

import { scriptOf } from '../language/languages.ts';
import { placeNameIn } from '../language/place-names.ts';
import { transliterate } from '../language/transliterate.ts';
import { type ExtractRequest, type ExtractResult, noUsage } from './engine.ts';

export function statisticalTerms(request: ExtractRequest): ExtractResult {
  const known = new Set(request.known.map(({ source }) => source));
  // Copying a name into another script would be no rendering, and guessing one is what this is there to avoid.
  const candidates = scriptOf(request.targetLang) === 'Latn' ? request.candidates : [];
  const terms = candidates
    .filter((source) => !known.has(source) && /^(?:d['’])?\p{Lu}/u.test(source))
    .map((candidate) => {
      // Anne d'Autriche is one of Austria, d'Artagnan is only himself.
      const name = candidate.replace(/^d['’]/u, '');
      const place = placeNameIn(name, request.sourceLang, request.targetLang);
      const type = place === undefined ? ('unknown' as const) : ('place' as const);
      return {
        source: place === undefined ? candidate : name,
        target: place ?? transliterate(candidate, request.sourceLang),
        type,
        gender: 'unknown' as const,
        aliases: [],
      };
    });
  return { terms, digest: '', finish: 'complete', usage: noUsage };
}
