import type { Gender, TermType } from '../../term.ts';
import type { ExtractedTerm, ExtractRequest } from '../engine.ts';
import { parseOuterJson, unwrapAnswer } from './answer-records.ts';

/** Reads a glossary answer, of objects or of rows. A cut or broken one gives the entries that are whole; undefined when nothing is readable. */
export function readTerms(
  answer: string,
  request: ExtractRequest,
): { terms: ExtractedTerm[]; digest: string } | undefined {
  const text = unwrapAnswer(answer);
  const whole = parseOuterJson(text);
  const entries = isRecord(whole) ? listOf(whole.terms) : Array.isArray(whole) ? whole : salvage(text);
  if (entries === undefined) return undefined;
  const known = new Set(request.known.map((term) => term.source));
  const seen = new Set<string>();
  const terms = entries
    .flatMap((entry) => readTerm(entry, request.text))
    .filter((term) => {
      if (known.has(term.source) || seen.has(term.source)) return false;
      seen.add(term.source);
      return true;
    });
  return { terms, digest: isRecord(whole) && typeof whole.d === 'string' ? clip(whole.d, 200) : '' };
}

/** A term must be in the text letter for letter; invented terms are dropped. */
function readTerm(given: unknown, text: string): ExtractedTerm[] {
  const entry = Array.isArray(given) ? ofRow(given) : given;
  if (!isRecord(entry) || typeof entry.s !== 'string' || typeof entry.t !== 'string') return [];
  const source = entry.s.trim();
  const target = entry.t.trim();
  if (source === '' || target === '' || !text.includes(source)) return [];
  const aliases = (listOf(entry.a) ?? [])
    .filter((alias) => typeof alias === 'string')
    .map((alias) => alias.trim())
    .filter((alias) => alias !== '' && alias !== source && text.includes(alias));
  return [
    { source, target, type: types[String(entry.k)] ?? 'other', gender: genders[String(entry.g)] ?? 'unknown', aliases },
  ];
}

/** As the prompt for candidates asks: source, rendering, kind, gender, other forms. */
function ofRow([s, t, k, g, ...a]: readonly unknown[]): Record<string, unknown> {
  return { s, t, k, g, a };
}

function salvage(text: string): unknown[] | undefined {
  const entries = [...text.matchAll(/\{[^{}]*\}|\[[^[\]{}]*\]/gu)].flatMap(([raw]) => {
    try {
      return [JSON.parse(raw) as unknown];
    } catch {
      return [];
    }
  });
  return entries.length > 0 ? entries : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function clip(text: string, characters: number): string {
  return [...text.trim()].slice(0, characters).join('');
}

const types: Readonly<Record<string, TermType>> = {
  person: 'person',
  place: 'place',
  organization: 'organization',
  organisation: 'organization',
  item: 'item',
  skill: 'skill',
  species: 'species',
  title: 'title',
  concept: 'concept',
};
const genders: Readonly<Record<string, Gender>> = {
  m: 'male',
  male: 'male',
  f: 'female',
  female: 'female',
  n: 'neutral',
  neutral: 'neutral',
};
