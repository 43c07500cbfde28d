import type { TermHint } from '../engines/engine.ts';
import { findTerms, indexTerms, type TermIndex } from '../glossary/match.ts';
import { renderAlias } from '../glossary/name-rendering.ts';
import { type Term, termKey } from '../term.ts';
import type { ExpectedTerm } from './checks/expected-term.ts';

/** The frozen glossary, ready for lookups. Nothing that runs in parallel changes it. */
export interface FrozenTerms {
  index: TermIndex<Term>;
  /** The people of the book with their gender, those first that are named most. */
  roster: readonly TermHint[];
}

// About ten tokens each; a passage that names nobody still needs to know who is a woman.
const rosterSize = 6;
/** Of a chapter that names nobody, as of the first person: the book's main characters may be meant. */
const mainCharacters = 3;
/** No character of a novel is called longer than this, and the roster travels with every segment. */
const maxRosterCharacters = 60;
export const maxNoteCharacters = 120;

export function freezeTerms(terms: readonly Term[], sourceLang: string): FrozenTerms {
  const roster = terms
    .filter((term) => term.type === 'person' && term.gender !== 'unknown')
    .filter((term) => term.source.length + term.target.length <= maxRosterCharacters)
    .toSorted((a, b) => b.occurrences - a.occurrences || (a.source < b.source ? -1 : 1))
    .map(({ source, target, type, gender }) => ({ source, target, type, gender }));
  return { index: indexTerms(terms, sourceLang), roster };
}

/** The people of a chapter, whose terms are given: those that a passage without names most likely speaks of. */
export function rosterOf(terms: readonly TermHint[], { roster }: FrozenTerms): readonly TermHint[] {
  const named = new Set(terms.map(({ source }) => source));
  const present = roster.filter(({ source }) => named.has(source));
  return present.length === 0 ? roster.slice(0, mainCharacters) : present.slice(0, rosterSize);
}

/** An expected term with the glossary entry it belongs to. */
export interface ExpectedEntry extends ExpectedTerm {
  term: Term;
}

/** What the engine is told and what is checked for one text (without inline tags). */
export function termsOf(text: string, frozen: FrozenTerms): { hints: TermHint[]; expected: ExpectedEntry[] } {
  const hints = new Map<string, TermHint>();
  const expected = new Map<string, ExpectedEntry>();
  for (const { term, form, certain } of findTerms(text, frozen.index)) {
    const isAlias = termKey(form) !== termKey(term.source);
    const rendering = isAlias ? renderAlias(term, form) : term.target;
    // Who "the Kestrel" is does not say how to render it; only a partner's alias is an order.
    if (rendering === undefined && term.origin === 'extracted') continue;
    const target = rendering ?? term.target;
    const note = (isAlias ? (term.note ?? `another form of ${term.source}`) : term.note)?.slice(0, maxNoteCharacters);
    hints.set(form, {
      source: form,
      target,
      type: term.type,
      gender: term.gender,
      ...(note === undefined ? {} : { note }),
    });
    if (certain) expected.set(form, { source: form, target, partial: rendering === undefined, term });
  }
  return { hints: [...hints.values()], expected: [...expected.values()] };
}

/** What decides on a translation, as keys have it. */
export function hintParts({ source, target, type, gender, note }: TermHint): string[] {
  return [source, target, type ?? '', gender ?? '', note ?? ''];
}

/** Terms may take as much of a prompt as the text they are for, and a little more for a line full of names. */
const freeHintCharacters = 1_000;
const maxHints = 100;

/**
 * The terms that fit into the prompt of one segment: a glossary of thousands of long aliases must not make prompts of
 * megabytes. The shortest come first, so that as many as possible fit; the others are neither told nor checked.
 */
export function fittingTerms(hints: Iterable<TermHint>, segmentCharacters: number): Set<string> {
  let left = freeHintCharacters + segmentCharacters;
  const fitting = new Set<string>();
  const sized = Array.from(hints, ({ source, target, note = '' }) => ({
    source,
    size: source.length + target.length + note.length,
  }));
  for (const { source, size } of sized.sort((a, b) => a.size - b.size)) {
    if (size > left || fitting.size >= maxHints) break;
    left -= size;
    fitting.add(source);
  }
  return fitting;
}
