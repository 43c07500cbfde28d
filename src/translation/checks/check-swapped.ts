/**
 * Two paragraphs under each other's number. Nothing about either is wrong by itself, so the pair is judged: what only one
 * of the two can have (its names, its numbers, its length, its being speech) is found in the other. A wrong suspicion
 * costs one more call; a swap that is believed puts a page out of order.
 */
import { foldTarget } from '../../glossary/term-applied.ts';
import { stripInlineTags } from '../../inline-tags.ts';
import { expectedRatio } from './check-length.ts';
import type { CheckContext, CheckedUnit } from './checked-unit.ts';
import { type ExpectedTerm, missedTerms } from './expected-term.ts';
import { type Fault, faultOf } from './fault.ts';

interface Row {
  unit: CheckedUnit;
  source: string;
  text: string;
}

/** How far apart two lines may stand. */
const reach = 2;

export function checkSwapped(units: readonly CheckedUnit[], context: CheckContext): Fault[] {
  const rows = units.map((unit) => ({
    unit,
    source: stripInlineTags(unit.source).trim(),
    text: stripInlineTags(unit.translation).trim(),
  }));
  const swapped = new Set<string>();
  for (const [i, one] of rows.entries()) {
    for (const other of rows.slice(i + 1, i + 1 + reach)) {
      if (one.source === other.source || one.text === '' || other.text === '') continue;
      if (!areSwapped(one, other, context)) continue;
      swapped.add(one.unit.id);
      swapped.add(other.unit.id);
    }
  }
  const message = 'The translations of two lines stand under each other’s number. Put each under its own.';
  return [...swapped].map((id) => faultOf('shifted', id, message));
}

function areSwapped(one: Row, other: Row, context: CheckContext): boolean {
  // Evidence for the order as it is counts against all evidence for a swap.
  const votes = [
    byTerms(one, other, context),
    byNumbers(one, other),
    byLength(one, other, context),
    bySpeech(one, other),
  ];
  return votes.includes('swapped') && !votes.includes('in order');
}

type Vote = 'swapped' | 'in order' | 'unknown';

function byTerms(one: Row, other: Row, { targetLang }: CheckContext): Vote {
  const ownTerms = termsNotIn(one.unit.terms, other.unit.terms);
  const its = termsNotIn(other.unit.terms, one.unit.terms);
  if (ownTerms.length === 0 && its.length === 0) return 'unknown';
  const missed = (text: string, terms: readonly ExpectedTerm[]) => missedTerms(text, terms, targetLang).length;
  return vote(
    missed(one.text, ownTerms) + missed(other.text, its),
    missed(other.text, ownTerms) + missed(one.text, its),
    ownTerms.length + its.length,
  );
}

function byNumbers(one: Row, other: Row): Vote {
  const [own, its] = [numbersOf(one.source), numbersOf(other.source)];
  const mine = own.filter((number) => !its.includes(number));
  const theirs = its.filter((number) => !own.includes(number));
  if (mine.length === 0 && theirs.length === 0) return 'unknown';
  const missing = (text: string, numbers: readonly string[]) =>
    numbers.filter((number) => !numbersOf(text).includes(number)).length;
  return vote(
    missing(one.text, mine) + missing(other.text, theirs),
    missing(other.text, mine) + missing(one.text, theirs),
    mine.length + theirs.length,
  );
}

/** Swapped where all that tells the two apart is at the other place. */
function vote(missedHere: number, missedThere: number, all: number): Vote {
  if (missedHere === all && missedThere === 0) return 'swapped';
  return missedHere < all ? 'in order' : 'unknown';
}

/** Three times as long and three times as short at once does not happen to good translations of prose. */
function byLength(one: Row, other: Row, { sourceLang, targetLang }: CheckContext): Vote {
  const ratio = expectedRatio(sourceLang, targetLang);
  const misfit = (text: string, source: string) => Math.abs(Math.log(text.length / (source.length * ratio)));
  const here = misfit(one.text, one.source) + misfit(other.text, other.source);
  const swappedMisfit = misfit(one.text, other.source) + misfit(other.text, one.source);
  return here - swappedMisfit > 2.2 ? 'swapped' : swappedMisfit - here > 1 ? 'in order' : 'unknown';
}

function bySpeech(one: Row, other: Row): Vote {
  const [own, its] = [isSpeech(one.source), isSpeech(other.source)];
  const [text, itsText] = [isSpeech(one.text), isSpeech(other.text)];
  if (own === its || text === itsText) return 'unknown';
  return own === text ? 'in order' : 'swapped';
}

function isSpeech(text: string): boolean {
  return /^["“”„«»‹›「『‘'—–―-]/u.test(text);
}

function numbersOf(text: string): string[] {
  return [...new Set(text.normalize('NFKC').match(/\d+/g) ?? [])];
}

function termsNotIn(terms: readonly ExpectedTerm[], others: readonly ExpectedTerm[]): ExpectedTerm[] {
  return terms.filter((term) => others.every((other) => foldTarget(other.target) !== foldTarget(term.target)));
}
