/** Reduces what an engine found in the chunks of a book to one list of terms, by votes. */

import { withoutControls } from '../language/control-characters.ts';
import { script, scriptAt } from '../language/scripts.ts';
import { type Gender, type Term, type TermType, termKey } from '../term.ts';
import { countTerms, normalizeForMatching } from './match.ts';
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
  const sources = [...groups.values()].map(({ source }) => ({ source }));
  const counts = countTerms(sources, texts, language);
  const terms: Term[] = [];
  for (const group of groups.values()) {
    const { all, small } = counts.get(group.source) ?? { all: 0, small: 0 };
    const term = decide(group, all);
    if (isWorthKeeping(term, small)) terms.push(term);
  }
  terms.sort((a, b) => b.occurrences - a.occurrences || (a.source < b.source ? -1 : 1));
  return steerLongForms(terms.map((term) => ({ ...term, aliases: usableAliases(term, groups) })));
}

/** Those that came first stand first, and win where votes are equal. */
type Votes<K> = Map<K, number>;

interface Group {
  source: string;
  targets: Votes<string>;
  types: Votes<TermType>;
  genders: Votes<Gender>;
  aliases: Set<string>;
  votes: number;
}

function collectVotes(chunks: readonly ChunkFindings[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const chunk of chunks) {
    const text = normalizeForMatching(chunk.text);
    const seen = new Set<string>();
    for (const found of chunk.terms) {
      const term = validated(found, text);
      const key = termKey(term?.source ?? '');
      if (term === undefined || seen.has(key)) continue;
      seen.add(key);
      const group = groups.getOrInsertComputed(key, () => ({
        source: term.source,
        targets: new Map(),
        types: new Map(),
        genders: new Map(),
        aliases: new Set(),
        votes: 0,
      }));
      group.votes++;
      vote(group.targets, term.target);
      vote(group.types, term.type);
      vote(group.genders, term.gender);
      for (const alias of term.aliases) if (text.includes(normalizeForMatching(alias))) group.aliases.add(alias);
    }
  }
  return groups;
}

function vote<K>(votes: Votes<K>, value: K): void {
  votes.set(value, (votes.get(value) ?? 0) + 1);
}

function winner<K>(votes: Votes<K>): K | undefined {
  return [...votes].sort(([, a], [, b]) => b - a)[0]?.[0];
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

function decide(group: Group, occurrences: number): Term {
  const target = winner(group.targets) ?? group.source;
  const share = (group.targets.get(target) ?? 0) / group.votes;
  const support = group.votes + Math.log2(1 + occurrences);
  const known = new Map([...group.genders].filter(([gender]) => gender !== 'unknown'));
  const conflicts = [
    ...(known.size > 1 ? [`gender: ${inWords(known)}`] : []),
    ...(group.targets.size > 1 ? [`target: ${inWords(group.targets)}`] : []),
  ];
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

function inWords(votes: Votes<string>): string {
  return [...votes].map(([value, count]) => `${value} ${count}`).join(', ');
}

/** A tie between two genders is not knowledge. */
function settledGender(known: Votes<Gender>): Gender {
  const best = winner(known);
  const isTie = [...known.values()].filter((votes) => best !== undefined && votes === known.get(best)).length > 1;
  return best === undefined || isTie ? 'unknown' : best;
}

const names = new Set<TermType>(['person', 'place', 'organization', 'unknown']);

/** @param small how often the book writes it with a small first letter */
function isWorthKeeping({ source, target, type, occurrences }: Term, small: number): boolean {
  const isName = names.has(type);
  if (!isName && occurrences < 2) return false;
  // A word the book writes in lower case three times as often is an ordinary word.
  const isCapitalised = source[0] !== source[0]?.toLowerCase();
  if (isCapitalised && type !== 'person' && !/\s/.test(source) && small > 3 * (occurrences - small)) return false;
  return isName || termKey(source) !== termKey(target);
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
