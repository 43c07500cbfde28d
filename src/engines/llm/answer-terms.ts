import { type Gender, type TermType, termTypes } from '../../term.ts';
import { isOneOf } from '../../written-values.ts';
import type { ExtractedTerm, ExtractRequest } from '../engine.ts';
import { isRecord } from '../json-value.ts';
import { flatValuesIn, jsonValuesIn, withoutThoughts } from './answer-text.ts';

/** Reads a glossary answer, of objects or of rows. A cut or broken one gives the entries that are whole; undefined when nothing is readable. */
export function readTerms(
  answer: string,
  request: ExtractRequest,
  { isCut = false }: { isCut?: boolean } = {},
): { terms: ExtractedTerm[]; digest: string } | undefined {
  const text = withoutThoughts(answer);
  // The last one: models think aloud in JSON before they answer in it.
  const whole = jsonValuesIn(text).whole.findLast((value) =>
    isRecord(value) ? listOf(value.terms) : Array.isArray(value),
  );
  const entries = isRecord(whole)
    ? listOf(whole.terms)
    : Array.isArray(whole)
      ? whole
      : (salvage(text) ?? rowsIn(text, isCut));
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
  return [{ source, target, type: typeOf(entry.k), gender: genderOf(entry.g), aliases }];
}

/** As the prompt for candidates asks: source, rendering, kind, gender, other forms. */
function ofRow([s, t, k, g, ...a]: readonly unknown[]): Record<string, unknown> {
  return { s, t, k, g, a };
}

function salvage(text: string): unknown[] | undefined {
  const entries = flatValuesIn(text);
  return entries.length > 0 ? entries : undefined;
}

/** `term | rendering | kind | gender`, a line each: what a model that writes no JSON is asked for. The last line of a cut answer is not whole. */
function rowsIn(text: string, isCut: boolean): unknown[] | undefined {
  const lines = text.split('\n').slice(0, isCut ? -1 : undefined);
  const rows = lines.map((line) => cellsOf(line.replace(/^\s*(?:[-*•]|\d{1,3}[.)])\s/u, '')));
  const terms = rows.filter((row) => row.length >= 2 && row.length <= 12);
  return terms.length > 0 ? terms : undefined;
}

/** Blanks with a tab among them separate, and beside a bar they belong to it. In steps: one pattern for all takes the square of a run of blanks. */
function cellsOf(line: string): string[] {
  const joined = line.replace(/\s+/gu, (blanks) => (blanks.includes('\t') ? '\t' : blanks));
  const cells = joined.replace(/\t?([|｜])\t?/gu, '$1').split(/[|｜\t]/u);
  return cells.map((cell) => cell.trim());
}

function listOf(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function clip(text: string, characters: number): string {
  return [...text.trim()].slice(0, characters).join('');
}

function typeOf(kind: unknown): TermType {
  if (kind === 'organisation') return 'organization';
  return isOneOf(kind, termTypes) && kind !== 'unknown' ? kind : 'other';
}

function genderOf(word: unknown): Gender {
  if (isOneOf(word, ['male', 'female', 'neutral'])) return word;
  return word === 'm' ? 'male' : word === 'f' ? 'female' : word === 'n' ? 'neutral' : 'unknown';
}
