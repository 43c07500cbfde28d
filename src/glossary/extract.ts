/** Reduces what an engine found in the chunks of a book to one list of terms, by votes. */

import { withoutControls } from '../language/control-characters.ts';
import { script, scriptAt } from '../language/scripts.ts';
import { type Gender, type Term, type TermType, termKey } from '../term.ts';
import { findTerms, indexTerms, normalizeForMatching } from './match.ts';
import { steerLongForms } from './name-rendering.ts';
import { stripTitles } from './titles.ts';

/** One term as an engine reports it for one chunk. */
export interface FoundTerm {
  source: string;
  target: string;
  type: TermType;
  gender: Gender;
  aliases: readonly string[];
}

export interface ChunkFindings {
  /** The text the engine saw: a source that is not in it verbatim is invented. */
  text: string;
  terms: readonly FoundTerm[];
}

/** Chunks in reading order; the result does not depend on the order in which they were answered. */
export function reduceTerms(chunks: readonly ChunkFindings[], texts: readonly string[], language: string): Term[] {
  const groups = collectVotes(chunks);
  dropTitledDoubles(groups);
  const counts = countOccurrences(groups, texts, language);
  const terms: Term[] = [];
  for (const [key, group] of groups) {
    const term = decide(group, counts.get(key)?.total ?? 0);
    if (isWorthKeeping(term, counts.get(key))) terms.push(term);
  }
  terms.sort((a, b) => b.occurrences - a.occurrences || (a.source < b.source ? -1 : 1));
  return steerLongForms(terms.map((term) => ({ ...term, aliases: usableAliases(term, groups) })));
}

interface Vote {
  votes: number;
  /** Ties go to the earliest. */
  first: number;
}

interface Group {
  source: string;
  targets: Map<string, Vote>;
  types: Map<TermType, Vote>;
  genders: Map<Gender, Vote>;
  aliases: Set<string>;
  votes: number;
}

function collectVotes(chunks: readonly ChunkFindings[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  let order = 0;
  for (const chunk of chunks) {
    const text = normalizeForMatching(chunk.text);
    const seen = new Set<string>();
    for (const found of chunk.terms) {
      const term = validated(found, text);
      if (term === undefined || seen.has(termKey(term.source))) continue;
      seen.add(termKey(term.source));
      order++;
      const key = termKey(term.source);
      const group: Group = groups.get(key) ?? {
        source: term.source,
        targets: new Map(),
        types: new Map(),
        genders: new Map(),
        aliases: new Set(),
        votes: 0,
      };
      groups.set(key, group);
      group.votes++;
      vote(group.targets, term.target, order);
      vote(group.types, term.type, order);
      vote(group.genders, term.gender, order);
      for (const alias of term.aliases) if (text.includes(normalizeForMatching(alias))) group.aliases.add(alias);
    }
  }
  return groups;
}

function vote<K>(votes: Map<K, Vote>, value: K, order: number): void {
  const there = votes.get(value);
  if (there === undefined) votes.set(value, { votes: 1, first: order });
  else there.votes++;
}

function winner<K>(votes: Map<K, Vote>): K | undefined {
  let best: [K, Vote] | undefined;
  for (const entry of votes) {
    if (
      best === undefined ||
      entry[1].votes > best[1].votes ||
      (entry[1].votes === best[1].votes && entry[1].first < best[1].first)
    ) {
      best = entry;
    }
  }
  return best?.[0];
}

function validated(found: FoundTerm, text: string): FoundTerm | undefined {
  const source = withoutControls(found.source).normalize('NFKC').replace(/\s+/g, ' ').trim();
  const target = withoutControls(found.target).normalize('NFC').replace(/\s+/g, ' ').trim();
  if (source === '' || target === '' || source.length > 80 || target.length > 200) return undefined;
  if (/[.!?。！？,，;；:：\n]\s*\S/u.test(source) && !/^\p{Lu}\p{L}{0,3}\./u.test(source)) return undefined;
  if (pronouns.has(source.toLowerCase()) || !/\p{L}/u.test(source)) return undefined;
  if (!text.includes(normalizeForMatching(source))) return undefined;
  const cased = [script.latin, script.cyrillic, script.greek].some((own) => own === scriptAt(source, 0));
  if (cased && names.has(found.type) && source === source.toLowerCase()) return undefined;
  const bare = found.type === 'person' ? stripTitles(source) : source;
  const bareTarget = stripTitles(target);
  const strips = bare !== source && bareTarget !== target;
  const aliases = found.aliases
    .map((alias) => alias.normalize('NFKC').trim())
    .filter((alias) => alias !== '' && alias.length <= 80);
  return { ...found, source: strips ? bare : source, target: strips ? bareTarget : target, aliases };
}

/** "Captain Voss" goes when "Voss" is a term of its own: title and name are then translated each in its place. */
function dropTitledDoubles(groups: Map<string, Group>): void {
  for (const [key, group] of groups) {
    const bare = termKey(stripTitles(group.source));
    if (bare !== key && groups.has(bare) && winner(group.types) === 'person') groups.delete(key);
  }
}

interface Count {
  total: number;
  /** Of them with a small first letter where the term has a capital. */
  lower: number;
}

function countOccurrences(
  groups: ReadonlyMap<string, Group>,
  texts: readonly string[],
  language: string,
): Map<string, Count> {
  const index = indexTerms(
    [...groups.values()].map(({ source }) => ({ source })),
    language,
  );
  const counts = new Map<string, Count>();
  for (const text of texts) {
    const matches = findTerms(text, index);
    if (matches.length === 0) continue;
    const normalized = normalizeForMatching(text);
    for (const { term, start } of matches) {
      const key = termKey(term.source);
      const count = counts.get(key) ?? { total: 0, lower: 0 };
      const first = normalized[start] ?? '';
      count.total++;
      if (term.source[0] !== first && first === first.toLowerCase()) count.lower++;
      counts.set(key, count);
    }
  }
  return counts;
}

function decide(group: Group, occurrences: number): Term {
  const target = winner(group.targets) ?? group.source;
  const share = (group.targets.get(target)?.votes ?? 0) / group.votes;
  const support = group.votes + Math.log2(1 + occurrences);
  const known = new Map([...group.genders].filter(([gender]) => gender !== 'unknown'));
  const conflicts: string[] = [];
  if (known.size > 1)
    conflicts.push(`gender: ${[...known].map(([gender, { votes }]) => `${gender} ${votes}`).join(', ')}`);
  if (group.targets.size > 1) {
    conflicts.push(`target: ${[...group.targets].map(([value, { votes }]) => `${value} ${votes}`).join(', ')}`);
  }
  const term: Term = {
    source: group.source,
    target,
    confidence: Math.round(share * (1 - Math.exp(-support / 2)) * 100) / 100,
    type: winner(group.types) ?? 'other',
    gender: settledGender(known),
    aliases: [...group.aliases],
    occurrences,
    origin: 'extracted',
  };
  if (conflicts.length > 0) term.conflicts = conflicts;
  return term;
}

/** A tie between two genders is not knowledge. */
function settledGender(known: Map<Gender, Vote>): Gender {
  const best = winner(known);
  if (best === undefined) return 'unknown';
  const votes = known.get(best)?.votes ?? 0;
  return [...known].some(([gender, other]) => gender !== best && other.votes === votes) ? 'unknown' : best;
}

const names = new Set<TermType>(['person', 'place', 'organization', 'unknown']);

function isWorthKeeping(term: Term, count: Count | undefined): boolean {
  const isName = names.has(term.type);
  const { total, lower } = count ?? { total: 0, lower: 0 };
  if (!isName && total < 2) return false;
  // A word the book writes in lower case three times as often is an ordinary word.
  if (term.type !== 'person' && !/\s/.test(term.source) && lower > 3 * (total - lower)) return false;
  return isName || termKey(term.source) !== termKey(term.target);
}

function usableAliases(term: Term, groups: ReadonlyMap<string, Group>): string[] {
  return term.aliases.filter((alias) => {
    const key = termKey(alias);
    if (key === termKey(term.source) || pronouns.has(key)) return false;
    // Another term's source is an alias only as a short form, which is linked later with its own rendering.
    return !groups.has(key);
  });
}

const pronouns = new Set(
  'i you he she it we they me him her us them his hers ich du er sie es wir ihr je tu il elle nous vous ils elles yo tú él ella ellos я ты он она оно мы вы они 我 你 他 她 它 我们 你们 他们 她们 您 私 俺 僕 彼 彼女 あなた 君 나 너 그 그녀 우리 저'.split(
    ' ',
  ),
);
