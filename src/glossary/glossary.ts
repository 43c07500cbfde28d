/** A partner's glossary: how it is read, how it is compared, and how it meets the terms found in the book. */
import { AppError, badRequest } from '../errors.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { type Term, termKey } from '../term.ts';
import { steerLongForms } from './name-rendering.ts';
import { readTerm } from './read-term.ts';

export type GlossaryStrategy = 'merge' | 'replace' | 'skip';
export const glossaryStrategies: readonly GlossaryStrategy[] = ['merge', 'replace', 'skip'];

export type GlossaryLimits = Pick<Limits, 'maxGlossaryBytes' | 'maxGlossaryTerms' | 'maxTermBytes'>;

/**
 * Reads the `glossary` field: a JSON object whose values are renderings or objects
 * {target, type, gender, aliases, case_sensitive, note}. Accepts the JSON text or the object itself.
 * @throws BAD_REQUEST, PAYLOAD_TOO_LARGE
 */
export function parseGlossary(input: unknown, limits: GlossaryLimits = defaultLimits): Term[] {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  if (Buffer.byteLength(text) > limits.maxGlossaryBytes) {
    throw new AppError('PAYLOAD_TOO_LARGE', `The glossary is larger than ${limits.maxGlossaryBytes} bytes.`, {
      details: { field: 'glossary', reason: 'GLOSSARY_TOO_LARGE', limit_bytes: limits.maxGlossaryBytes },
    });
  }
  const value = typeof input === 'string' ? parseJson(input) : input;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse('The glossary must be a JSON object that maps source terms to translations.', 'NOT_AN_OBJECT');
  const twice = repeatedKey(text);
  if (twice !== undefined)
    refuse('A glossary key is there twice; each source term may have one entry.', 'DUPLICATE_TERM', {
      key: twice.slice(0, 64),
    });
  const terms = new Map<string, Term>();
  let forms = 0;
  for (const [key, entry] of Object.entries(value)) {
    const term = readTerm(key, entry, limits.maxTermBytes);
    forms += 1 + term.aliases.length;
    if (forms > limits.maxGlossaryTerms)
      refuse(`The glossary has more than ${limits.maxGlossaryTerms} terms (aliases count).`, 'TOO_MANY_TERMS', {
        limit: limits.maxGlossaryTerms,
      });
    const there = terms.get(term.source);
    if (there !== undefined && there.target !== term.target)
      refuse('Two glossary keys are the same term once normalised, with different translations.', 'DUPLICATE_TERM', {
        key,
      });
    if (there === undefined) terms.set(term.source, term);
  }
  return distinguishCase([...terms.values()]);
}

function refuse(message: string, reason: string, details: Record<string, unknown> = {}): never {
  throw badRequest(message, { field: 'glossary', reason: `GLOSSARY_${reason}`, ...details });
}

/** The same text for the same glossary, whatever the order and spelling of the JSON: what idempotency hashes. */
export function canonicalGlossary(terms: readonly Term[]): string {
  const rows = terms
    .toSorted((a, b) => (a.source < b.source ? -1 : 1))
    .map((term) => [
      term.source,
      term.target,
      term.type,
      term.gender,
      [...term.aliases].sort(),
      term.caseSensitive ?? null,
      term.note ?? '',
    ]);
  return JSON.stringify(rows);
}

/** Both, supplied ones winning by source and by alias. */
export function combineTerms(supplied: readonly Term[], extracted: readonly Term[]): Term[] {
  return steerLongForms([...learnFrom(supplied, extracted), ...withoutClaimed(extracted, supplied)]);
}

/** The terms whose source none of the `first` claims, as its own or as an alias. */
export function withoutClaimed(terms: readonly Term[], first: readonly Term[]): Term[] {
  const claimed = new Set<string>();
  for (const term of first) {
    // A case-sensitive "May" leaves "may" to the others.
    for (const form of [term.source, ...term.aliases]) claimed.add(term.caseSensitive ? form : termKey(form));
  }
  const isClaimed = (form: string): boolean => claimed.has(form) || claimed.has(termKey(form));
  const own = new Set(first.map((term) => term.source));
  return terms
    .filter((term) => !isClaimed(term.source))
    .map((term) => ({ ...term, aliases: term.aliases.filter((alias) => !own.has(alias)) }));
}

/** What the partner left open (type, gender, occurrences) is taken from what the book shows. */
function learnFrom(supplied: readonly Term[], extracted: readonly Term[]): Term[] {
  const found = new Map(extracted.map((term) => [termKey(term.source), term]));
  return supplied.map((term) => {
    const seen = found.get(termKey(term.source));
    if (seen === undefined) return term;
    return {
      ...term,
      type: term.type === 'other' ? seen.type : term.type,
      gender: term.gender === 'unknown' ? seen.gender : term.gender,
      occurrences: seen.occurrences,
    };
  });
}

function distinguishCase(terms: Term[]): Term[] {
  const spellings = Map.groupBy(terms, ({ source }) => termKey(source));
  return terms.map((term) => {
    const isAlone = spellings.get(termKey(term.source))?.length === 1;
    return isAlone || term.caseSensitive !== undefined ? term : { ...term, caseSensitive: true };
  });
}

function parseJson(text: string): unknown {
  try {
    // Editors on Windows begin a file with a mark, and partners send the file as it is.
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : '';
    const found = /position (\d+)/.exec(message)?.[1];
    const position = found === undefined ? text.length : Number(found);
    return refuse(`The glossary is not valid JSON (at character ${position}).`, 'MALFORMED_JSON', { position });
  }
}

/**
 * The first key that a JSON object has twice, on its top level. `JSON.parse` keeps the last value without a word, and a
 * glossary that lost an entry that way steers a whole book wrong. `text` must be valid JSON.
 */
function repeatedKey(text: string): string | undefined {
  const keys = new Set<string>();
  let depth = 0;
  let previous = '';
  for (const { 0: token } of text.matchAll(tokens)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (token === ':' && depth === 1) {
      const key: string = JSON.parse(previous);
      if (keys.has(key)) return key;
      keys.add(key);
    }
    previous = token;
  }
  return undefined;
}

/** Strings and punctuation; numbers and words between them do not matter here. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;

/** A partner's glossary as a task keeps and compares it; nobody needs its terms until the task runs. */
export interface SentGlossary {
  /** The terms in JSON; undefined when there is none. */
  json: string | undefined;
  /** See `canonicalGlossary`. */
  canonical: string;
}

/** In the sandbox where it is large: plain data in, plain data out. @param text JSON. @throws what `parseGlossary` throws */
export function readSentGlossary({ text, limits }: { text: string; limits: GlossaryLimits }): SentGlossary {
  const terms = parseGlossary(text, limits);
  return { json: terms.length > 0 ? JSON.stringify(terms) : undefined, canonical: canonicalGlossary(terms) };
}

/** @param json terms as a task keeps them */
export function canonicalTerms(json: string): string {
  return canonicalGlossary(JSON.parse(json) as Term[]);
}
