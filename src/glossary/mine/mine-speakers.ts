/**
 * Who speaks in a Chinese novel: what stands alone between a mark and the verb of speech, again and again. It finds the names that
 * statistics of characters cannot, because their characters are in every sentence: 行者道, 三藏道, 大圣道.
 */
import { stopWordsOf } from '../../language/stop-words.ts';
import { BoundedCounter } from './bounded-counter.ts';
import { type Candidate, candidateOf } from './candidate.ts';
import { isNumberedPerson, isOrdinaryPerson } from './han-names.ts';

const speaker = /(?<![\p{Script=Han}])(\p{Script=Han}{2,3})[笑大急忙喝叹嘆冷]?[道曰](?=[：:])/gu;
/** Characters that only sentences have, not names. */
const inSentences =
  /[的了是我你他她它不在有这那這们們就也都和着著说說道吗嗎呢吧啊得地很把被让讓给給对對又再还還没沒会會能想去来來么麼怎什个個些只此其之所矣乎见見听聽问問笑叹嘆便却卻因为為与與从從到起过過欲已未才且向叫一两兩几幾每各某众眾诸諸忙急答喝哭骂罵应應回连連]/u;

const leastSpeeches = 12;
/** Who only ever speaks is 一人, 众官 or the like; a hero does other things too. */
const mostSpeaking = 0.7;

export function mineSpeakers(texts: readonly string[]): Candidate[] {
  const speeches = new BoundedCounter();
  for (const text of texts)
    for (const [, name = ''] of text.matchAll(speaker)) if (!inSentences.test(name)) speeches.add(name);
  const names = [...speeches.entries()].filter(([name, count]) => count >= leastSpeeches && isSomebody(name));
  const all = countAll(
    texts,
    names.map(([name]) => name),
  );
  return names.flatMap(([source, spoken]): Candidate[] => {
    const occurrences = all.get(source) ?? 0;
    if (spoken > occurrences * mostSpeaking || spoken < occurrences * 0.04) return [];
    return [candidateOf(source, occurrences, { weight: 2, confidence: 0.9, type: 'person' })];
  });
}

function isSomebody(name: string): boolean {
  if (stopWordsOf('zh').has(name)) return false;
  return /^[二三四五]/u.test(name) ? !isNumberedPerson(name) : !isOrdinaryPerson(name);
}

/** A look-up at each place where one may begin: the time does not grow with the number of names. */
function countAll(texts: readonly string[], names: readonly string[]): Map<string, number> {
  const counts = new Map(names.map((name) => [name, 0]));
  const begins = new Set(names.map((name) => name.charCodeAt(0)));
  const lengths = [...new Set(names.map((name) => name.length))].sort((a, b) => b - a);
  for (const text of texts) {
    for (let at = 0; begins.size > 0 && at < text.length; at++) {
      if (!begins.has(text.charCodeAt(at))) continue;
      const length = lengths.find((each) => counts.has(text.slice(at, at + each)));
      if (length === undefined) continue;
      const name = text.slice(at, at + length);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      at += length - 1;
    }
  }
  return counts;
}
