/**
 * German writes every noun with a capital. A name stands without an article, it may open a sentence bare, people address
 * it with a title, and it speaks. An ordinary noun has its article before it about every second time and hardly ever
 * opens a sentence without. What is known as a noun has to be addressed; what is not needs less.
 */
import { isGermanGivenName, isGermanNoun, looksLikeGermanNoun } from '../../language/german-words.ts';
import type { WordCounts } from './count-words.ts';

/** 0 for an ordinary noun, else how sure it is that the word is a name. */
export function judgeGermanNoun(word: string, counts: WordCounts): number {
  const seen = evidenceOf(word, counts);
  if (counts.lower.get(word.toLowerCase()) * 8 > seen.all) return 0;
  if (isGermanGivenName(word)) return seen.all >= 2 ? certainty(0.95, seen.all) : 0;
  if (isGermanNoun(word)) return isSurname(seen) ? certainty(0.7, seen.all) : 0;
  const usual = looksLikeName(word, seen, counts) ? certainty(0.6 + seen.strength, seen.all) : 0;
  if (usual > 0 || looksLikeGermanNoun(word) || isFormOfNoun(word, counts)) return usual;
  return isNameWithArticle(seen) || isPlace(seen) ? certainty(0.7, seen.all) : 0;
}

function certainty(evidence: number, all: number): number {
  return Math.min(1, evidence) * (1 - 0.6 * Math.exp(-all / 5));
}

type Evidence = ReturnType<typeof evidenceOf>;

/** `all` and `titled` are counts, the others are shares. */
function evidenceOf(word: string, counts: WordCounts) {
  const start = counts.atStart.get(word);
  const all = counts.inside.get(word) + start;
  const share = (count: number): number => count / Math.max(1, all);
  const titled = counts.titled.get(word);
  const determined = share(counts.determined.get(word));
  const personal = share(titled + counts.spoken.get(word));
  const opens = share(start);
  const plural = share(['e', 'en', 'er', 'n'].reduce((sum, ending) => sum + counts.inside.get(word + ending), 0));
  const strength =
    1.6 * Math.min(opens, 0.35) +
    4 * Math.min(personal, 0.15) -
    (opens >= barely ? 1 : 3) * determined -
    0.6 * Math.min(plural, 1);
  // Behind `ein`, `kein`, `jeder` or a number.
  const counted = share(counts.counted.get(word));
  const placed = share(counts.placed.get(word));
  return { all, titled, personal, opens, determined, counted, placed, plural, strength };
}

/** Dialects say `das Heidi`; then the name still opens sentences bare, which a noun with its article does not. */
const barely = 0.12;

function looksLikeName(word: string, seen: Evidence, counts: WordCounts): boolean {
  if (/(?:heit|keit|schaft|ität)$/u.test(word) || isFormOfNoun(word, counts)) return false;
  const opensBare = seen.opens >= barely;
  if (seen.all < (seen.titled > 0 ? 2 : 5) || seen.determined > (opensBare ? 0.45 : 0.2)) return false;
  return seen.strength >= 0.12 && (seen.personal > 0 || (opensBare && seen.all >= 8));
}

/** `Herr Fuchs`: a noun that is addressed again and again, and has no article. */
function isSurname({ all, titled, personal, determined }: Evidence): boolean {
  return all >= 5 && titled >= 3 && personal >= 0.3 && determined <= 0.15;
}

/** `der Peter`, `die Dete`: always the same article, never one of several. */
function isNameWithArticle({ all, titled, personal, opens, counted, plural }: Evidence): boolean {
  if (all < 8 || counted > 0.02 || plural > 0.02) return false;
  return personal >= 0.02 || titled > 0 || opens >= 0.2;
}

/** `in Frankfurt`, `nach Maienfeld`. */
function isPlace({ all, placed, determined, counted }: Evidence): boolean {
  return all >= 4 && placed >= 0.4 && determined <= 0.1 && counted <= 0.02;
}

/** `Tränen` stands bare as a name does, and `Kalifin` has a title, but `Träne` and `Kalif` have their articles. */
function isFormOfNoun(word: string, { inside, determined }: WordCounts): boolean {
  return ['n', 'en', 'e', 'er', 's', 'es', 'in'].some((ending) => {
    if (!word.endsWith(ending)) return false;
    const base = word.slice(0, -ending.length);
    return base.length > 2 && determined.get(base) >= 2 && determined.get(base) * 3 > inside.get(base);
  });
}
