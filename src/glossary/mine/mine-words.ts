/** Names of languages with capitals: words and runs of words whose capitals their place does not explain. */
import { baseCode } from '../../language/languages.ts';
import { isTitle } from '../titles.ts';
import { type Candidate, candidateOf, type MinedNames } from './candidate.ts';
import { connectors, countWords, type WordCounts } from './count-words.ts';
import { joinForms } from './join-forms.ts';
import { judgeGermanNoun } from './judge-german-noun.ts';
import { neverNames } from './not-names.ts';

export function mineWords(texts: readonly string[], language: string): MinedNames {
  const counts = countWords(texts, language);
  const candidates = sureNames(counts, language);
  return { candidates, rare: rareNames(counts, language, candidates) };
}

function sureNames(counts: WordCounts, language: string): Candidate[] {
  const never = neverNames(language);
  const judge = baseCode(language) === 'de' ? judgeGermanNoun : judgeWord;
  const certainty = new Map<string, number>();
  for (const [word] of counts.inside.entries()) {
    if (word.length < 2 || never.has(word.toLowerCase()) || isTitle(word)) continue;
    const confidence = judge(word, counts);
    if (confidence > 0) certainty.set(word, confidence);
  }
  const runs = countRuns(counts, certainty, never, language);
  const candidates = [...wordCandidates(counts, certainty, runs), ...runCandidates(counts, runs)];
  return joinForms(candidates, language);
}

/** What is too rare to be sure of, where a passage may tell: full names that occur once, and single words. */
function rareNames(counts: WordCounts, language: string, sure: readonly Candidate[]): Candidate[] {
  const forms = new Set(sure.flatMap(({ source, aliases }) => [source, ...aliases]));
  const words = new Set([...forms].flatMap((form) => form.split(' ')));
  // German capitals tell nothing.
  const single = baseCode(language) === 'de' ? [] : rareWords(counts, language, words);
  const runs = [...rareRuns(counts, forms, words), ...rarePlaces(counts, language, forms, single)];
  const whole = new Map(runs.map(({ source, occurrences }) => [source.split(' ')[0], occurrences]));
  // "Gretna" is nothing without "Green".
  const alone = single.filter(({ source, occurrences }) => occurrences > (whole.get(source) ?? 0));
  return [...runs, ...alone].map(({ source, occurrences }) => candidateOf(source, occurrences, { confidence: 0.3 }));
}

type RareName = Pick<Candidate, 'source' | 'occurrences'>;

/** "Thessaly Thornbury", once, where both are known: rendered by guess it would not fit its parts. */
function rareRuns(counts: WordCounts, forms: ReadonlySet<string>, known: ReadonlySet<string>): RareName[] {
  const rare = new Map<string, number>();
  for (const [run, occurrences] of counts.runs.entries()) {
    const words = run.split(' ');
    while (words.length > 0 && !known.has(words[0] ?? '')) words.shift();
    const source = words.join(' ');
    if (words.length < 2 || forms.has(source)) continue;
    if (words.every((word) => known.has(word) || connectors.has(word)))
      rare.set(source, (rare.get(source) ?? 0) + occurrences);
  }
  return [...rare].map(([source, occurrences]) => ({ source, occurrences }));
}

/** "Gretna Green": a rare word with ordinary ones behind it, whenever it stands inside a sentence. */
function rarePlaces(
  counts: WordCounts,
  language: string,
  sure: ReadonlySet<string>,
  single: readonly RareName[],
): RareName[] {
  const never = neverNames(language);
  const rare = new Set(single.map(({ source }) => source));
  const places: RareName[] = [];
  for (const [run, occurrences] of counts.runsInside.entries()) {
    const [first = '', ...others] = run.split(' ');
    if (sure.has(run) || isTitle(first) || others.some((word) => never.has(word.toLowerCase()))) continue;
    if (rare.has(first) || (sure.has(first) && occurrences >= counts.inside.get(first)))
      places.push({ source: run, occurrences });
  }
  return places;
}

/** A word that the book has in small letters too is none, unless it is addressed with a title (Miss King). */
function rareWords(counts: WordCounts, language: string, known: ReadonlySet<string>): RareName[] {
  const never = neverNames(language);
  const rare: RareName[] = [];
  for (const [word, occurrences] of counts.inside.entries()) {
    if (word.length < 3 || known.has(word) || never.has(word.toLowerCase())) continue;
    const titled = counts.titled.get(word);
    if (isTitle(word) && (titled < 2 || titled < occurrences / 4)) continue;
    const small = counts.lower.get(word.toLowerCase());
    const isAddressed = titled > 0 && (small < occurrences || titled === occurrences);
    // "so Pen was forced to come": no other name beside it, and no habit of the author.
    const standsOut = occurrences <= mostStandingOut && counts.alone.get(word) === occurrences;
    if (small === 0 || isAddressed || standsOut) rare.push({ source: word, occurrences });
  }
  // At the start of a sentence every word has a capital; one that the book has nowhere else may be a name.
  for (const [word, occurrences] of counts.atStart.entries()) {
    if (occurrences > mostAtStart || word.length < 3 || known.has(word) || never.has(word.toLowerCase())) continue;
    if (isTitle(word) || counts.inside.get(word) > 0 || counts.lower.get(word.toLowerCase()) > 0) continue;
    rare.push({ source: word, occurrences });
  }
  return rare;
}

/** What opens sentences more often is a habit of the author. */
const mostAtStart = 2;
const mostStandingOut = 1;

/**
 * 0 for an ordinary word. A name is capital nearly every time it stands inside a sentence: ratios, because three stray
 * capitals must not outweigh ten thousand lower-case uses.
 */
function judgeWord(word: string, { inside, lower, titled }: WordCounts): number {
  const capital = inside.get(word);
  const share = capital / (capital + lower.get(word.toLowerCase()));
  // Rose and Faith are words as well; a form of address before them decides.
  if (share < (titled.get(word) >= 2 ? 0.5 : 0.75)) return 0;
  return share * (1 - 0.6 * Math.exp(-capital / 3));
}

interface Runs {
  /** Occurrences of each run of two and more words. */
  counts: Map<string, number>;
  /** Of each word, how many occurrences are inside a run that counts. */
  covered: Map<string, number>;
}

/** Runs without what only the start of a sentence or a title put before them: "But Alice Kelly", "Count Vronsky". */
function countRuns(
  counts: WordCounts,
  certainty: ReadonlyMap<string, number>,
  never: ReadonlySet<string>,
  language: string,
): Runs {
  const trimmed = new Map<string, number>();
  for (const [run, count] of counts.runs.entries()) {
    const words = run.split(' ');
    const isName = (word: string): boolean => certainty.has(word);
    const isNothing = (word: string): boolean =>
      isTitle(word) || connectors.has(word) || (!isName(word) && (never.has(word.toLowerCase()) || word.length < 2));
    // A first word that no sentence ever has inside is there by its place alone.
    const byPlace = (word: string): boolean =>
      !isName(word) && (counts.runsInside.get(run) === 0 || baseCode(language) === 'de');
    while (words.length > 0 && (isNothing(words[0] ?? '') || byPlace(words[0] ?? ''))) words.shift();
    while (words.length > 0 && isNothing(words.at(-1) ?? '')) words.pop();
    if (words.length < 2) continue;
    if (words.some((word) => !isName(word) && !connectors.has(word) && never.has(word.toLowerCase()))) continue;
    if (baseCode(language) === 'de' && words.some((word) => !isName(word) && !connectors.has(word))) continue;
    const key = words.join(' ');
    trimmed.set(key, (trimmed.get(key) ?? 0) + count);
  }
  const kept = new Map<string, number>();
  const covered = new Map<string, number>();
  for (const [run, count] of trimmed) {
    const words = run.split(' ').filter((word) => !connectors.has(word));
    const known = words.filter((word) => certainty.has(word)).length;
    // "Buenos Aires": ordinary words are a name together when they meet again and again.
    if (count < (known === words.length ? 2 : 3)) continue;
    kept.set(run, count);
    for (const word of words) covered.set(word, (covered.get(word) ?? 0) + count);
  }
  return { counts: kept, covered };
}

function wordCandidates(counts: WordCounts, certainty: ReadonlyMap<string, number>, { covered }: Runs): Candidate[] {
  const candidates: Candidate[] = [];
  for (const [word, confidence] of certainty) {
    const all = counts.inside.get(word) + counts.atStart.get(word);
    const alone = Math.max(0, all - (covered.get(word) ?? 0));
    const titled = counts.titled.get(word);
    if (all < 2 && titled === 0) continue;
    // "Aires" is nothing without "Buenos".
    if (alone < all * 0.15 || alone < 1) continue;
    const person = personOf([word], counts);
    // "à d'Artagnan" has a "d'" of its own; the château d'If is that of If.
    const isOwn = person.type === 'person' || counts.particled.get(word) > all * 0.2;
    const elided = isOwn && counts.elided.get(word) > all * 0.8;
    candidates.push({
      ...candidateOf(elided ? `d'${word}` : word, alone, { confidence }),
      aliases: elided ? [`D'${word}`, `d’${word}`, `D’${word}`, word] : [],
      ...person,
    });
  }
  return candidates;
}

function runCandidates(counts: WordCounts, runs: Runs): Candidate[] {
  return [...runs.counts].map(([run, count]) => {
    const words = run.split(' ').filter((word) => !connectors.has(word));
    // Two capitals in a row inside a sentence are a name more surely than one.
    const inside = counts.runsInside.get(run);
    const confidence = 0.97 * (1 - 0.6 * Math.exp(-(count + inside) / 4));
    return { ...candidateOf(run, count, { confidence }), ...personOf(words, counts) };
  });
}

/** A person only when a title or a verb of speech says so; the gender only from titles that have one. */
function personOf(words: readonly string[], counts: WordCounts): Pick<Candidate, 'type' | 'gender'> {
  const sum = (counter: WordCounts['titled']): number => words.reduce((total, word) => total + counter.get(word), 0);
  const [female, male] = [sum(counts.female), sum(counts.male)];
  const all = sum(counts.inside) + sum(counts.atStart);
  const isPerson = sum(counts.titled) > all * 0.1 || sum(counts.spoken) > all * 0.03;
  if (!isPerson) return { type: 'unknown', gender: 'unknown' };
  const gender = female + male < 3 ? 'unknown' : female > 9 * male ? 'female' : male > 9 * female ? 'male' : 'unknown';
  return { type: 'person', gender };
}
