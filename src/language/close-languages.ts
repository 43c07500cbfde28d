/**
 * Settles what an n-gram model cannot: languages that share nearly all their spelling differ in a handful of everyday
 * words. A group is only looked at when the model already answered with one of its members.
 */
import closeLanguages from './close-languages.json' with { type: 'json' };

const wordsOf: Readonly<Record<string, string>> = closeLanguages;
const groups = ['hr bs sr', 'id ms', 'nb nn da'].map((codes) => codes.split(' '));

/** The member of the group with most words of its own; the model's answer when none or several lead. */
export function refineCloseLanguages(code: string, text: string): string {
  const group = groups.find((codes) => codes.includes(code));
  if (group === undefined) return code;
  // Serbian in Cyrillic has no twin.
  if (/[\u0400-\u04ff]/.test(text)) return code;
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const lists = group.map((language) => ({ language, own: new Set(wordsOf[language]?.split(' ')) }));
  const scores = lists.map(({ language, own }) => {
    const isShared = (word: string): boolean => lists.some((other) => other.own !== own && other.own.has(word));
    const score = words.reduce((sum, word) => sum + (own.has(word) ? (isShared(word) ? 1 : 2) : 0), 0);
    return { language, score };
  });
  scores.sort((a, b) => b.score - a.score);
  const [first, second] = scores;
  return first !== undefined && first.score > (second?.score ?? 0) ? first.language : code;
}
