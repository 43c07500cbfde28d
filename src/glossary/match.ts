/**
 * Finds the terms of a glossary in source text. Linear whatever the glossary: one trie walk per position with the longest
 * term as the only factor. Inflected words are compared with a bounded number of dictionary words each.
 */

import { inflects, isFormOf } from '../language/inflection.ts';
import { script, scriptAt } from '../language/scripts.ts';
import { mayEndAt, mayStartAt } from '../language/word-boundaries.ts';
import { findInflected, InflectedForms } from './match-inflected.ts';

export interface TermMatch<T> {
  term: T;
  /** The source form or alias that matched. */
  form: string;
  /** Offsets in `normalizeForMatching(text)`. */
  start: number;
  end: number;
  /** False where the text may mean an ordinary word: `May` at a sentence start, a single Han character. */
  certain: boolean;
}

export interface MatchableTerm {
  source: string;
  aliases?: readonly string[];
  caseSensitive?: boolean | undefined;
}

export interface Form<T> {
  term: T;
  form: string;
  normalized: string;
  caseSensitive: boolean;
  /** Decided to be case-sensitive because the lower-case word exists too. */
  ambiguous: boolean;
  singleHan: boolean;
}

export interface TermIndex<T extends MatchableTerm = MatchableTerm> {
  readonly language: string;
  readonly trie: Trie;
  /** By trie node. */
  readonly forms: ReadonlyMap<number, FormsOfSpelling<T>>;
  /** For inflecting languages only. */
  readonly inflected: InflectedForms<Form<T>> | undefined;
}

/** Forms that differ only in letter case: those that insist on theirs, and one that takes any. */
interface FormsOfSpelling<T> {
  exact: Map<string, Form<T>>;
  any: Form<T> | undefined;
}

/** Earlier terms win a form that several terms claim; a term's own source wins over anybody's alias. */
export function indexTerms<T extends MatchableTerm>(terms: readonly T[], language: string): TermIndex<T> {
  const trie = new Trie();
  const forms = new Map<number, FormsOfSpelling<T>>();
  const inflected = inflects(language) ? new InflectedForms<Form<T>>(language) : undefined;
  const add = (term: T, form: string): void => {
    const normalized = normalizeForMatching(form).trim();
    if (normalized === '') return;
    const hasUpper = normalized !== normalized.toLowerCase();
    const entry: Form<T> = {
      term,
      form,
      normalized,
      caseSensitive: term.caseSensitive ?? false,
      ambiguous: term.caseSensitive === true && hasUpper,
      singleHan: normalized.length === 1 && scriptAt(normalized, 0) === script.han,
    };
    const folded = foldCase(normalized);
    const node = trie.insert(folded);
    const there = forms.getOrInsertComputed(node, () => ({ exact: new Map(), any: undefined }));
    if (there.any !== undefined || there.exact.has(normalized)) return;
    if (entry.caseSensitive) there.exact.set(normalized, entry);
    else there.any = entry;
    inflected?.add(wordsOf(folded), entry);
  };
  for (const term of terms) add(term, term.source);
  for (const term of terms) for (const alias of term.aliases ?? []) add(term, alias);
  return { language, trie, forms, inflected };
}

/**
 * A trie over UTF-16 units. Its steps are in one map for each unit: a map for each node would cost hundreds of megabytes with
 * 20,000 terms, and one map for all has keys of which each is an object.
 */
class Trie {
  /** By unit, then by node. */
  readonly #steps = new Map<number, Map<number, number>>();
  #nodes = 0;

  /** Node of `text`, created when absent. Nodes are integers from 1. */
  insert(text: string): number {
    let node = 0;
    for (let i = 0; i < text.length; i++) {
      const steps = this.#steps.getOrInsertComputed(text.charCodeAt(i), () => new Map());
      node = steps.getOrInsertComputed(node, () => ++this.#nodes);
    }
    return node;
  }

  /** The child of `node` by `unit`, 0 when there is none; the root is 0 as well. */
  step(node: number, unit: number): number {
    return this.#steps.get(unit)?.get(node) ?? 0;
  }
}

/** Of terms that start at one place, so many of the longest: should a longer one overlap with its neighbour. */
const maxMatchesPerStart = 4;

/** Matches in reading order, longest first where they overlap. */
export function findTerms<T extends MatchableTerm>(text: string, index: TermIndex<T>): TermMatch<T>[] {
  if (index.forms.size === 0) return [];
  const original = normalizeForMatching(text);
  const folded = foldCase(original);
  const found: TermMatch<T>[] = [];
  const { trie, forms, language } = index;
  /** Ends of forms that start at one place, shortest first. */
  const ends: { end: number; spelled: FormsOfSpelling<T> }[] = [];
  for (let start = 0; start < folded.length; start++) {
    let node = trie.step(0, folded.charCodeAt(start));
    if (node === 0 || !mayStartAt(folded, start)) continue;
    ends.length = 0;
    for (let end = start + 1; node !== 0; end++) {
      const spelled = forms.get(node);
      if (spelled !== undefined) ends.push({ end, spelled });
      node = end < folded.length ? trie.step(node, folded.charCodeAt(end)) : 0;
    }
    let left = maxMatchesPerStart;
    for (let i = ends.length - 1; i >= 0 && left > 0; i--) {
      const { end, spelled } = ends[i] as (typeof ends)[number];
      if (!mayEndAt(folded, end, (rest) => isInflectedEnd(folded.slice(start, end), rest, language))) continue;
      const form = spelled.exact.get(original.slice(start, end)) ?? spelled.any;
      if (form === undefined) continue;
      found.push(matchOf(form, start, end, original));
      left--;
    }
  }
  if (index.inflected !== undefined) {
    for (const { form, start, end } of findInflected(folded, index.inflected)) {
      // Inflected forms keep the case of the first letter.
      if (form.caseSensitive && original[start] !== form.normalized[0]) continue;
      found.push(matchOf(form, start, end, original));
    }
  }
  return withoutOverlaps(found);
}

/** By source, how often each term occurs in the texts, and how often of these with a small first letter; terms that do not are left out. */
export function countTerms(
  terms: readonly MatchableTerm[],
  texts: Iterable<string>,
  language: string,
): Map<string, { all: number; small: number }> {
  const index = indexTerms(terms, language);
  const counts = new Map<string, { all: number; small: number }>();
  for (const text of texts) {
    const matches = findTerms(text, index);
    const normalized = matches.length === 0 ? '' : normalizeForMatching(text);
    for (const { term, start } of matches) {
      const count = counts.getOrInsertComputed(term.source, () => ({ all: 0, small: 0 }));
      const first = normalized[start] ?? '';
      count.all++;
      if (first === first.toLowerCase()) count.small++;
    }
  }
  return counts;
}

/** NFKC with one kind of space, apostrophe, hyphen and name dot. */
export function normalizeForMatching(text: string): string {
  return text.normalize('NFKC').replace(otherSpellings, canonicalSpelling);
}

// The plain space, commonest of all, is already what it should be.
const otherSpellings = /[^\S ]|[’‘ʼ´‐‑·‧•]/g;

function canonicalSpelling(found: string): string {
  if ('’‘ʼ´'.includes(found)) return "'";
  if ('‐‑'.includes(found)) return '-';
  if ('·‧•'.includes(found)) return '・';
  return ' ';
}

/** Lower case of the same length, so that offsets stay valid (`İ` would become two units). */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  let folded = '';
  for (const character of text) {
    const own = character.toLowerCase();
    folded += own.length === character.length ? own : character;
  }
  return folded;
}

function isInflectedEnd(matched: string, rest: string, language: string): boolean {
  const base = matched.slice(matched.lastIndexOf(' ') + 1);
  return base.length >= 3 && isFormOf(base + rest, base, language);
}

function matchOf<T>(form: Form<T>, start: number, end: number, text: string): TermMatch<T> {
  const certain = !form.singleHan && !(form.ambiguous && startsSentence(text, start));
  return { term: form.term, form: form.form, start, end, certain };
}

/** Whether a word at `index` would be capitalised anyway: only quotes, dashes and spaces since the last sentence end. */
function startsSentence(text: string, index: number): boolean {
  for (let i = index - 1; i >= 0; i--) {
    const character = text[i] ?? '';
    if (sentenceEnds.includes(character)) return true;
    if (!openers.includes(character)) return false;
  }
  return true;
}

const sentenceEnds = '.!?…。:;\n';
const openers = ' "\'“”«»„‚‘’「『（(—–-[';

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}][\p{L}\p{M}-]*/gu) ?? [];
}

function withoutOverlaps<T>(found: TermMatch<T>[]): TermMatch<T>[] {
  if (found.length < 2) return found;
  found.sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start);
  // Longest first: a later match can only overlap an earlier one at its own ends or lie inside it.
  const claimed = new Set<number>();
  const taken = found.filter(({ start, end }) => {
    if (claimed.has(start) || claimed.has(end - 1)) return false;
    for (let i = start; i < end; i++) claimed.add(i);
    return true;
  });
  return taken.sort((a, b) => a.start - b.start);
}
