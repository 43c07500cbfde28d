/**
 * Case forms of one name become one candidate under the nominative, the others its aliases. Slavic languages decline
 * names (Вронский, Вронского, Вронскому are one man), German adds an s.
 */
import { baseCode } from '../../language/languages.ts';
import type { Candidate } from './candidate.ts';

export function joinForms(candidates: readonly Candidate[], language: string): Candidate[] {
  const code = baseCode(language);
  const stem = code === 'de' ? germanStem(candidates) : slavic.has(code) ? slavicStem(candidates) : undefined;
  if (stem === undefined) return [...candidates];
  const groups = Map.groupBy(candidates, ({ source }) => source.split(' ').map(stem).join(' '));
  const nominativeOf = code === 'de' ? shortest : nominative;
  return [...groups.values()].map((group) => join(group, nominativeOf));
}

type Stem = (word: string) => string;
/** The nominative among the forms of one word, with how often each occurs. */
type NominativeOf = (counts: ReadonlyMap<string, number>) => string;

const maxAliases = 24;

function join(group: readonly Candidate[], nominativeOf: NominativeOf): Candidate {
  const forms = group.toSorted((a, b) => b.occurrences - a.occurrences);
  const source = nominativeRun(forms, nominativeOf);
  const occurrences = forms.reduce((sum, form) => sum + form.occurrences, 0);
  const aliases = forms.flatMap((form) => [form.source, ...form.aliases]).filter((form) => form !== source);
  return {
    source,
    aliases: [...new Set(aliases)].slice(0, maxAliases),
    occurrences,
    strength: forms.reduce((sum, form) => sum + form.strength, 0),
    type: forms.find((form) => form.type !== 'unknown')?.type ?? 'unknown',
    gender: forms.find((form) => form.gender !== 'unknown')?.gender ?? 'unknown',
  };
}

function nominativeRun(forms: readonly Candidate[], nominativeOf: NominativeOf): string {
  const length = forms[0]?.source.split(' ').length ?? 0;
  const words: string[] = [];
  for (let i = 0; i < length; i++) {
    const counts = new Map<string, number>();
    for (const { source, occurrences } of forms) {
      const word = source.split(' ')[i] ?? '';
      counts.set(word, (counts.get(word) ?? 0) + occurrences);
    }
    words.push(nominativeOf(counts));
  }
  return words.join(' ');
}

/** `Antons` belongs to `Anton` and `Lenorens` to `Lenore`, where the book has both. */
function germanStem(candidates: readonly Candidate[]): Stem {
  const words = new Set(candidates.flatMap(({ source }) => source.split(' ')));
  return (word) =>
    [word.replace(/ns$/u, ''), word.replace(/s$/u, '')].find((base) => base !== word && words.has(base)) ?? word;
}

function shortest(counts: ReadonlyMap<string, number>): string {
  return [...counts.keys()].reduce((best, word) => (word.length < best.length ? word : best));
}

/**
 * All vowels at the end go, with the consonants that close a case ending: Николай, Николаем → Никол. A word that is
 * itself the stem of others joins them (Максим, whose end looks like one), also without a fleeting vowel (Павел, Павла).
 */
function slavicStem(candidates: readonly Candidate[]): Stem {
  const words = new Set(candidates.flatMap(({ source }) => source.split(' ')));
  const stems = new Map<string, number>();
  for (const word of words) stems.set(plainStem(word), (stems.get(plainStem(word)) ?? 0) + 1);
  return (word) => {
    const plain = plainStem(word);
    const withoutFleeting = word.replace(/[еёоeo](?=[^аеёиоуыэюяaeiouy]$)/u, '');
    if (plain !== word && stems.has(word)) return word;
    return withoutFleeting !== word && stems.has(withoutFleeting) ? withoutFleeting : plain;
  };
}

function plainStem(word: string): string {
  const stem = word.replace(caseEnding, '');
  return stem.length >= 3 ? stem : word.length > 4 ? word.slice(0, 3) : word;
}

const caseEnding = /(?:[аеёиоуыэюяіїєйь]+(?:го|му|ми|м|х)?|[aeiouyąęáéíóúýě]+(?:go|mu|mi|m|ch|ho|wi)?)$/u;

/** The form that looks most like a nominative among those that are not rare; built when none is there. */
function nominative(counts: ReadonlyMap<string, number>): string {
  const all = [...counts].sort((a, b) => b[1] - a[1]);
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  const frequent = all.filter(([, count]) => count * 12 >= total).map(([word]) => word);
  const most = all[0]?.[0] ?? '';
  const find = (pattern: RegExp): string | undefined => frequent.find((word) => pattern.test(word));
  const stemBefore = (endings: RegExp): string | undefined =>
    frequent.map((word) => endings.exec(word)?.[1]).find(Boolean);
  const man = stemBefore(/^(.*[сц]к)(?:ого|ому|им|ом|ий)$/u);
  if (man !== undefined) return `${man}ий`;
  const woman = stemBefore(/^(.*[сц]к)(?:ая|ой|ую)$/u);
  if (woman !== undefined) return `${woman}ая`;
  const family = stemBefore(/^(.*[сц]к)(?:ие|их|ими)$/u);
  if (family !== undefined) return `${family}ие`;
  const closed = find(/[^аеёиоуыэюяіїєaeiouyąęáéíóúýě]$/u);
  const open = find(/[аяa]$/u);
  if (closed !== undefined && (frequent.length === 1 || !isOblique(closed, counts))) {
    // Анн is a rare plural of Анна; Левин is no form of Левина.
    return open !== undefined && (counts.get(closed) ?? 0) * 4 < (counts.get(open) ?? 0) ? open : closed;
  }
  if (open !== undefined) return open;
  const accusative = find(/[ую]$/u);
  if (accusative !== undefined) return accusative.slice(0, -1) + (accusative.endsWith('у') ? 'а' : 'я');
  return most;
}

/** Анной and Левиным end like Алексей and Ефим; but only these two go on from there: Алексея, Ефима. */
function isOblique(word: string, counts: ReadonlyMap<string, number>): boolean {
  if (/[оеё]й$/u.test(word)) return !counts.has(`${word.slice(0, -1)}я`);
  return /[аеёиоуыюя][мх]$/u.test(word) && !counts.has(`${word}а`) && !counts.has(`${word}у`);
}

const slavic = new Set('ru uk be pl cs sk sr hr bs sl mk'.split(' '));
