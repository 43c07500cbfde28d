/** One entry of a partner's glossary. A glossary may have twenty thousand, and they are read in the loop that answers everybody. */
import { badRequest } from '../errors.ts';
import { type Gender, genders, type Term, type TermType, termTypes } from '../term.ts';
import { isOneOf } from '../written-values.ts';

const properties = ['target', 'type', 'gender', 'aliases', 'case_sensitive', 'note'] as const;

type Entry = Partial<Record<(typeof properties)[number], unknown>>;

/** @throws BAD_REQUEST */
export function readTerm(key: string, value: unknown, maxBytes: number): Term {
  const source = cleaned(key, 'source', key, maxBytes);
  if (source === '') fail(key, 'A glossary term has an empty source.');
  const entry = typeof value === 'string' ? { target: value } : entryOf(key, value);
  const target = cleaned(entry.target, 'target', key, maxBytes);
  if (target === '') fail(key, 'A glossary term has an empty target.', { property: 'target' });
  const aliases = entry.aliases === undefined || entry.aliases === null ? [] : aliasesOf(key, entry.aliases, maxBytes);
  const caseSensitive = entry.case_sensitive ?? undefined;
  if (caseSensitive !== undefined && typeof caseSensitive !== 'boolean') {
    fail(key, 'case_sensitive of a glossary term must be true or false.', { property: 'case_sensitive' });
  }
  const note = entry.note === undefined || entry.note === null ? '' : cleaned(entry.note, 'note', key, maxBytes);
  const term: Term = {
    source,
    target,
    confidence: 1,
    type: oneOf<TermType>(key, 'type', entry.type, termTypes, 'other'),
    gender: oneOf<Gender>(key, 'gender', entry.gender, genders, 'unknown'),
    aliases: aliases.filter((alias) => alias !== '' && alias !== source),
    occurrences: 0,
    origin: 'supplied',
  };
  if (typeof caseSensitive === 'boolean') term.caseSensitive = caseSensitive;
  if (note !== '') term.note = note;
  return term;
}

function fail(key: string, message: string, more: Record<string, unknown> = {}): never {
  throw badRequest(message, { field: 'glossary', reason: 'GLOSSARY_TERM_INVALID', key: key.slice(0, 200), ...more });
}

function entryOf(key: string, value: unknown): Entry {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return fail(key, 'A glossary value must be a string or an object with a target.');
  for (const property of Object.keys(value)) {
    if (!isOneOf(property, properties))
      fail(key, 'A glossary term has an unknown property.', { property, allowed: properties });
  }
  return value;
}

function aliasesOf(key: string, raw: unknown, maxBytes: number): string[] {
  if (!Array.isArray(raw))
    return fail(key, 'The aliases of a glossary term must be a list of strings.', { property: 'aliases' });
  return [...new Set(raw.map((alias) => cleaned(alias, 'aliases', key, maxBytes)))];
}

function oneOf<T extends string>(key: string, property: string, raw: unknown, allowed: readonly T[], fallback: T): T {
  if (raw === undefined || raw === null) return fallback;
  return isOneOf(raw, allowed) ? raw : fail(key, `A glossary term has an unknown ${property}.`, { property, allowed });
}

/** Terms travel inside prompts and CSV lines: one line each, no control characters. */
function cleaned(raw: unknown, property: string, key: string, maxBytes: number): string {
  if (typeof raw !== 'string') return fail(key, `The ${property} of a glossary term must be a string.`, { property });
  if (!raw.isWellFormed())
    return fail(key, `The ${property} of a glossary term is not well-formed Unicode.`, { property });
  const clean = onOneLine(raw);
  // Three bytes are the most that a UTF-16 unit takes.
  if (clean.length * 3 > maxBytes && Buffer.byteLength(clean) > maxBytes) {
    throw badRequest(`A glossary term is longer than ${maxBytes} bytes.`, {
      field: 'glossary',
      reason: 'GLOSSARY_TERM_TOO_LONG',
      key: key.slice(0, 200),
      property,
    });
  }
  return sourceForms.has(property) ? clean.normalize('NFKC') : clean;
}

/** What is looked for in the text, which is normalised in the same way. */
const sourceForms: ReadonlySet<string> = new Set(['source', 'aliases']);

function onOneLine(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .trim();
}
