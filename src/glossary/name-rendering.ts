/** Keeps long names in step with their short forms: where Alice is 爱丽丝, Alice Kelly must be 爱丽丝·something. */
import { isUnspaced, script, scriptAt } from '../language/scripts.ts';
import { nameParts, type Term, termKey } from '../term.ts';
import { isSurname } from './mine/han-names.ts';

/**
 * Links every short form into its long forms as an alias and makes renderings agree: the supplied one decides, else the one with
 * more support. A long form that does not agree with a supplied short name is dropped, so that the short name steers it in the
 * text.
 */
export function steerLongForms(terms: readonly Term[]): Term[] {
  const bySource = new Map(terms.map((term) => [termKey(term.source), term]));
  const result: Term[] = [];
  for (const term of terms) {
    // As corrected by a longer form before it, if any.
    let long: Term | undefined = bySource.get(termKey(term.source)) ?? term;
    for (const short of shortFormsOf(term, bySource)) {
      if (long === undefined) break;
      long = agree(long, short, bySource);
    }
    if (long === undefined) bySource.delete(termKey(term.source));
    else bySource.set(termKey(term.source), long);
    if (long !== undefined) result.push(long);
  }
  // A short form may have been corrected after a long form was passed on.
  return result.map((term) => bySource.get(termKey(term.source)) ?? term);
}

/** Rendering of an alias without a term of its own: the part of the target at the same place, when that is certain. */
export function renderAlias(term: Term, alias: string): string | undefined {
  const parts = nameParts(term.source).map(termKey);
  const targets = nameParts(term.target);
  const at = parts.indexOf(termKey(alias));
  if (at >= 0) return parts.length === targets.length ? targets[at] : undefined;
  return isGivenName(alias, term) && targets.length === 2 ? targets[1] : undefined;
}

/** 婉儿 of 苏婉儿, 민식 of 김민식: behind a family name, which translations into other scripts keep in front. */
function isGivenName(alias: string, { source, type }: Term): boolean {
  if (type !== 'person' || alias.length < 2 || !source.endsWith(alias)) return false;
  const family = source.slice(0, -alias.length);
  if (scriptAt(source, 0) === script.hangul) return family.length === 1;
  return family.length >= 1 && family.length <= 2 && isSurname(family);
}

const linkable = new Set(['person', 'place', 'organization', 'other', 'unknown']);

function shortFormsOf(long: Term, bySource: ReadonlyMap<string, Term>): Term[] {
  if (!linkable.has(long.type)) return [];
  const found: Term[] = [];
  for (const form of shorterForms(long.source)) {
    const short = bySource.get(termKey(form));
    if (short !== undefined && short.source !== long.source && linkable.has(short.type)) found.push(short);
  }
  return found;
}

/** Runs of whole parts; for names without separators, beginnings and endings of two or more characters. */
function shorterForms(source: string): string[] {
  const parts = nameParts(source);
  if (parts.length > 6) return [];
  if (parts.length > 1) {
    const forms: string[] = [];
    for (let from = 0; from < parts.length; from++) {
      for (let to = from + 1; to <= parts.length; to++) {
        if (to - from < parts.length) forms.push(parts.slice(from, to).join(source.includes(' ') ? ' ' : '・'));
      }
    }
    return forms;
  }
  const first = scriptAt(source, 0);
  if ((!isUnspaced(first) && first !== script.hangul) || source.length < 3 || source.length > 5) return [];
  const forms: string[] = [];
  for (let length = 2; length < source.length; length++) forms.push(source.slice(0, length), source.slice(-length));
  return forms;
}

function agree(long: Term, short: Term, bySource: Map<string, Term>): Term | undefined {
  const aliases = long.aliases.includes(short.source) ? long.aliases : [...long.aliases, short.source];
  const linked = { ...long, aliases };
  if (contains(long.target, short.target)) return linked;
  const shortDecides =
    long.origin !== 'supplied' &&
    (short.origin === 'supplied' ||
      short.confidence * (1 + short.occurrences) >= long.confidence * (1 + long.occurrences));
  const span = correspondingSpan(long, short);
  if (shortDecides) {
    if (span === undefined) return short.origin === 'supplied' ? undefined : linked;
    return { ...linked, target: long.target.slice(0, span.start) + short.target + long.target.slice(span.end) };
  }
  if (short.origin !== 'supplied' && span !== undefined) {
    bySource.set(termKey(short.source), { ...short, target: long.target.slice(span.start, span.end) });
  }
  return linked;
}

/** As whole parts where names have parts: "Alicent Kelly" does not contain "Alice". */
function contains(long: string, short: string): boolean {
  if (!long.includes(short)) return false;
  const first = scriptAt(short, 0);
  if (isUnspaced(first) || first === script.hangul) return true;
  const parts = nameParts(long);
  const wanted = nameParts(short);
  return parts.some((_, i) => wanted.every((part, k) => parts[i + k] === part));
}

interface Span {
  start: number;
  end: number;
}

/** The stretch of the long target that renders the short source. */
function correspondingSpan(long: Term, short: Term): Span | undefined {
  const targets = spansOf(long.target);
  const sources = nameParts(long.source).map(termKey);
  const shortParts = nameParts(short.source).map(termKey);
  const at = sources.findIndex((_, i) => shortParts.every((part, k) => sources[i + k] === part));
  if (sources.length > 1 && at >= 0 && sources.length === targets.length) {
    return { start: targets[at]?.start ?? 0, end: targets[at + shortParts.length - 1]?.end ?? 0 };
  }
  const similar = targets.find(({ start, end }) => isSimilar(long.target.slice(start, end), short.target));
  if (similar !== undefined) return similar;
  if (targets.length !== 2) return undefined;
  const folded = termKey(long.source);
  if (folded.startsWith(termKey(short.source))) return targets[0];
  return folded.endsWith(termKey(short.source)) ? targets[1] : undefined;
}

function spansOf(target: string): Span[] {
  return [...target.matchAll(/[^\s・·‧•=＝]+/gu)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Edit distance of at most 40 % of the longer one. */
function isSimilar(a: string, b: string): boolean {
  const [left, right] = [[...termKey(a).replaceAll(/[\s-]/g, '')], [...termKey(b).replaceAll(/[\s-]/g, '')]];
  if (left.length > 40 || right.length > 40) return false;
  let row = right.map((_, i) => i + 1);
  for (const [i, character] of left.entries()) {
    let diagonal = i;
    let before = i + 1;
    row = row.map((above, j) => {
      const cost = Math.min(above + 1, before + 1, diagonal + (character === right[j] ? 0 : 1));
      diagonal = above;
      before = cost;
      return cost;
    });
  }
  return (row.at(-1) ?? left.length) <= 0.4 * Math.max(left.length, right.length);
}
