/** Names that an editor has changed, told from what was changed in the paragraphs that have them. */
import { findTerms, indexTerms, type MatchableTerm } from '../glossary/match.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { Pauses } from '../pauses.ts';

/** One that an editor has changed. */
export interface EditedParagraph {
  source: string;
  /** What was delivered until now. */
  before: readonly string[];
  target: string;
}

export interface CorrectedName {
  source: string;
  target: string;
}

export interface KnownName extends MatchableTerm {
  target: string;
}

/** An editor who changes more names than this sends a list of terms. */
const maxNames = 100;
const maxNameCharacters = 100;

/** Terms of which paragraphs differ by their rendering and by nothing else, always by the same one. */
export async function renamedTerms<T extends KnownName>(
  terms: readonly T[],
  paragraphs: readonly EditedParagraph[],
  language: string,
): Promise<Map<T, string>> {
  const index = indexTerms(terms, language);
  const renderings = new Map<T, Set<string>>();
  const pauses = new Pauses();
  for (const { source, before, target } of paragraphs) {
    if (pauses.isDue) await pauses.take();
    for (const { term } of findTerms(stripInlineTags(source), index)) {
      for (const earlier of before) {
        const rendering = renderingIn(stripInlineTags(earlier), stripInlineTags(target), term.target);
        if (rendering !== undefined) renderings.set(term, (renderings.get(term) ?? new Set()).add(rendering));
      }
    }
  }
  const single = [...renderings].flatMap(([term, [first, second]]): [T, string][] =>
    first !== undefined && second === undefined ? [[term, first]] : [],
  );
  return new Map(single.slice(0, maxNames));
}

/** What stands in `after` wherever `before` has the name, if that is all that differs. */
function renderingIn(before: string, after: string, name: string): string | undefined {
  const parts = before.split(name);
  const places = parts.length - 1;
  const length = (after.length - (before.length - places * name.length)) / places;
  if (places === 0 || !Number.isInteger(length) || length < 1 || length > maxNameCharacters) return undefined;
  const from = parts[0]?.length ?? 0;
  const rendering = after.slice(from, from + length);
  const isName = /\p{L}/u.test(rendering) && rendering === rendering.trim();
  return isName && parts.join(rendering) === after ? rendering : undefined;
}
