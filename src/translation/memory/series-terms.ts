/** The terms of a series as a run sees them, and which of all terms decide on a remembered block. */
import { type GlossaryStrategy, withoutClaimed } from '../../glossary/glossary.ts';
import { findTerms, indexTerms, type MatchableTerm } from '../../glossary/match.ts';
import { settleCase } from '../../glossary/settle-case.ts';
import type { Term } from '../../term.ts';
import type { Sheet } from '../sheet.ts';
import type { DecidingTerms } from './block-keys.ts';

export interface SeriesState {
  version: number;
  /** Set by people: supplied, or corrected. */
  supplied: Term[];
  extracted: Term[];
  /** How volumes rendered a term before a person set it; absent in checkpoints of earlier versions. */
  found?: FoundForm[];
  /** The volumes before, in a few sentences. */
  story: string;
  style: string | undefined;
  /** What its volumes have settled; absent in checkpoints of earlier versions. */
  sheet?: Sheet | undefined;
}

/** A term as it was found and applied. */
export interface FoundForm extends MatchableTerm {
  target: string;
  aliases: string[];
}

/** What a task was ordered with: what is changed in its series afterwards concerns later tasks. */
export interface OrderedSeries {
  style: string | undefined;
  /** An `OrderedTerms`. Undefined for a task from before it was kept: then the series counts as it is. */
  orderedTermsJson: string | undefined;
}

/** The terms of a series that the price of an order depends on. */
export interface OrderedTerms {
  supplied: Term[];
  /** Found terms that the task's own glossary sets. */
  claimed: Term[];
  /** Of both. */
  found: FoundForm[];
}

export function asOrdered(state: SeriesState, { style, orderedTermsJson }: OrderedSeries): SeriesState & TermsBefore {
  return orderedTermsJson === undefined
    ? state
    : { ...state, style, ...(JSON.parse(orderedTermsJson) as OrderedTerms) };
}

/** What a series knows of the terms that a task supplies. */
export interface TermsBefore extends Pick<SeriesState, 'supplied' | 'found'> {
  claimed?: Term[];
}

/** Terms that nothing found in the book can change: the task's own before the series'. */
export function suppliedTerms(
  glossary: readonly Term[],
  strategy: GlossaryStrategy,
  series: TermsBefore | undefined,
): Term[] {
  const orderedTerms = strategy === 'skip' ? [] : glossary;
  if (series === undefined || strategy === 'replace') return [...orderedTerms];
  return [...completed(orderedTerms, series), ...withoutClaimed(series.supplied, orderedTerms)];
}

/** What the partner left open of a term that the series knows stays as it is there: `{"Iron Gate": "Eisentor"}` says nothing of its other forms. */
function completed(own: readonly Term[], { supplied, claimed = [] }: TermsBefore): Term[] {
  const known = new Map([...claimed, ...supplied].map((term) => [term.source, term]));
  return own.map((term) => {
    const knownTerm = known.get(term.source);
    if (knownTerm === undefined) return term;
    const caseSensitive = term.caseSensitive ?? knownTerm.caseSensitive;
    const note = term.note ?? knownTerm.note;
    return {
      ...term,
      type: term.type === 'other' ? knownTerm.type : term.type,
      gender: term.gender === 'unknown' ? knownTerm.gender : term.gender,
      aliases: term.aliases.length === 0 ? knownTerm.aliases : term.aliases,
      ...(caseSensitive === undefined ? {} : { caseSensitive }),
      ...(note === undefined ? {} : { note }),
    };
  });
}

/**
 * Only terms set by people are part of a series' keys, and only where they say something else than what was found. A name that is put
 * back as it was changes nothing. If found terms were part of the keys, each new name would make old chapters new again.
 * @param texts the whole book, which decides between `May` and `may`
 */
export function suppliedTermsIn(
  supplied: readonly Term[],
  found: readonly FoundForm[],
  texts: readonly string[],
  language: string,
): (text: string) => DecidingTerms {
  if (supplied.length === 0) return () => ({ terms: [] });
  const index = indexTerms(settleCase(supplied, texts, language), language);
  const isSet = new Set(supplied.map(({ source }) => source));
  const foundIndex = indexTerms(
    found.filter(({ source }) => isSet.has(source)),
    language,
  );
  return (text) => {
    const set = new Map(findTerms(text, index).map(({ term }) => [term.source, term.target]));
    const before = new Map(findTerms(text, foundIndex).map(({ term }) => [term.source, term.target]));
    if (before.size === 0) return { terms: [...set] };
    const changed = [...set].filter(([source, target]) => before.get(source) !== target);
    // A form that was translated as the term is none of it any more.
    const dropped = [...before.keys()].filter((source) => !set.has(source)).map((source) => [source, '']);
    return dropped.length > 0 ? { terms: [...changed, ...dropped] } : { terms: changed, alsoTerms: [...set] };
  };
}
