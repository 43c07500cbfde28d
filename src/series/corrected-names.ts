/**
 * Names that an editor changed throughout become terms, so that the next volume has them. Throughout, because a term redoes
 * every paragraph that has it: where all of them are corrected ones there is nothing left to redo, and nothing to pay.
 */
import { findTerms, indexTerms, type MatchableTerm } from '../glossary/match.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { Pauses } from '../pauses.ts';

export interface EditedParagraph {
  source: string;
  /** What was delivered until now. */
  before: readonly string[];
  after: string;
  /** By a person, now or earlier. */
  corrected: boolean;
}

export interface CorrectedName {
  source: string;
  target: string;
}

export interface KnownName extends MatchableTerm {
  target: string;
  /** In the longest book that has it. */
  occurrences: number;
}

/** An editor who changes more names than this sends a list of terms. */
const maxNames = 100;
const maxNameCharacters = 100;

/** @param isWholeBook otherwise there must be as many places as the series knows of */
export async function correctedNames(
  terms: readonly KnownName[],
  paragraphs: readonly EditedParagraph[],
  language: string,
  { isWholeBook }: { isWholeBook: boolean },
): Promise<CorrectedName[]> {
  let names = await renamedTerms(terms, paragraphs, language);
  for (;;) {
    const kept = await renamedThroughout(names, paragraphs, language, isWholeBook);
    // A name that is dropped may have hidden a shorter one inside it.
    if (kept.size === names.size)
      return [...kept]
        .map(([{ source }, target]) => ({ source, target }))
        .sort((a, b) => (a.source < b.source ? -1 : 1));
    names = kept;
  }
}

type Renamed = Map<KnownName, string>;

/** Terms of which paragraphs differ by their rendering and by nothing else, always by the same one. */
async function renamedTerms(
  terms: readonly KnownName[],
  paragraphs: readonly EditedParagraph[],
  language: string,
): Promise<Renamed> {
  const index = indexTerms(terms, language);
  const renderings = new Map<KnownName, Set<string>>();
  const pauses = new Pauses();
  for (const { source, before, after, corrected } of paragraphs) {
    if (pauses.isDue) await pauses.take();
    if (!corrected || before.includes(after)) continue;
    for (const { term } of findTerms(stripInlineTags(source), index)) {
      for (const earlier of before) {
        const rendering = renderingIn(stripInlineTags(earlier), stripInlineTags(after), term.target);
        if (rendering !== undefined) renderings.set(term, (renderings.get(term) ?? new Set()).add(rendering));
      }
    }
  }
  const single = [...renderings].flatMap(([term, [first, second]]): [KnownName, string][] =>
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

/** Those of which every paragraph is corrected and has the new rendering. */
async function renamedThroughout(
  names: Renamed,
  paragraphs: readonly EditedParagraph[],
  language: string,
  isWholeBook: boolean,
): Promise<Renamed> {
  const index = indexTerms([...names.keys()], language);
  const places = new Map<KnownName, number>();
  const otherwise = new Set<KnownName>();
  if (names.size === 0) return names;
  const pauses = new Pauses();
  for (const { source, after, corrected } of paragraphs) {
    if (pauses.isDue) await pauses.take();
    for (const { term } of findTerms(stripInlineTags(source), index)) {
      places.set(term, (places.get(term) ?? 0) + 1);
      if (!corrected || !stripInlineTags(after).includes(names.get(term) ?? '')) otherwise.add(term);
    }
  }
  const isKept = (term: KnownName): boolean =>
    !otherwise.has(term) && (isWholeBook || (places.get(term) ?? 0) >= term.occurrences);
  return new Map([...names].filter(([term]) => isKept(term)));
}
