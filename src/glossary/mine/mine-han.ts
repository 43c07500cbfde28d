import { script, scriptOfUnit } from '../../language/scripts.ts';
import { stopWordsOf } from '../../language/stop-words.ts';
import { BoundedCounter } from './bounded-counter.ts';
import { type Candidate, candidateOf } from './candidate.ts';
import { isDictionaryWord } from './dictionary-word.ts';
import { endsLikePlace, isNumberedPerson, isOrdinaryPerson, startsWithSurname } from './han-names.ts';
import { neverNames } from './not-names.ts';

/**
 * Chinese has no capitals. A name is a chain of characters that meet far more often than chance (cohesion) and whose neighbours
 * vary on both sides (branching). Pairs are counted first, then only chains of strong pairs as strings.
 */
export function mineHan(texts: readonly string[]): Candidate[] {
  const { total, single, pair } = countHanPairs(texts);
  const least = Math.max(3, Math.floor(total / 250_000));
  // Ten times chance separates 小雨 from 雨说 in web novels; a page or two cannot get that far above chance.
  const timesChance = total < 2_000 ? 3 : 10;
  const strong = (a: number, b: number): boolean => {
    const count = pair(a, b);
    if (count < least || functional.has(a) || functional.has(b)) return false;
    return count * total > timesChance * single(a) * single(b);
  };
  const candidates = judgeChains(countChains(texts, strong), least, (character) =>
    speakingShare(single(character), (verb) => pair(character, verb)),
  );
  const known = new Set(candidates.map(({ source }) => source));
  return [...candidates, ...mineSpeakers(texts).filter(({ source }) => !known.has(source))];
}

type Chain = ReturnType<typeof emptyChain>;

function emptyChain() {
  return {
    count: 0,
    /** Of them before a verb of speech: 宝玉道, 孔明曰. */
    speaks: 0,
    /** Of them right behind a mark or the start of a line, and right before one. */
    opens: 0,
    closes: 0,
    left: new Neighbours(),
    right: new Neighbours(),
  };
}

function countChains(texts: readonly string[], strong: (a: number, b: number) => boolean): Map<string, Chain> {
  const chains = new Map<string, Chain>();
  for (const text of texts) {
    let start = 0;
    while (start < text.length - 1) {
      let end = start + 1;
      while (end < text.length && strong(text.charCodeAt(end - 1), text.charCodeAt(end))) end++;
      if (end - start >= 2 && end - start <= 6) {
        const source = text.slice(start, end);
        const known = chains.get(source);
        // Past this, only chains already known are followed: what first shows up this late and rare is left to the engine.
        if (known !== undefined || chains.size < maxChains) {
          const chain = known ?? emptyChain();
          if (known === undefined) chains.set(source, chain);
          const after = end < text.length ? text.charCodeAt(end) : 0;
          chain.count++;
          if (speech.has(after)) chain.speaks++;
          const before = start > 0 ? text.charCodeAt(start - 1) : 0;
          if (scriptOfUnit(before) !== script.han) chain.opens++;
          if (scriptOfUnit(after) !== script.han) chain.closes++;
          chain.left.add(before);
          chain.right.add(after);
        }
      }
      start = end;
    }
  }
  return chains;
}

const maxChains = 100_000;

/** What stands beside a chain of characters. A word has many different neighbours, half a word always the same. */
class Neighbours {
  readonly #counts = new Map<number, number>();
  #total = 0;

  /** Past 64 different neighbours the rest counts as one: the answer is "many" anyway. */
  add(unit: number): void {
    this.#total++;
    const key = this.#counts.size < 64 || this.#counts.has(unit) ? unit : -1;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  get different(): number {
    return this.#counts.size;
  }

  /** In bits: 0 when it is always the same. */
  get entropy(): number {
    let sum = 0;
    for (const count of this.#counts.values()) sum -= (count / this.#total) * Math.log2(count / this.#total);
    return sum;
  }
}

/** How often one character alone stands before a verb of speech: 操曰, 布曰. Then it is somebody's name. */
function speakingShare(count: number, before: (verb: number) => number): number {
  return count < 20 ? 0 : [...speech].reduce((sum, verb) => sum + before(verb), 0) / count;
}

function judgeChains(
  chains: ReadonlyMap<string, Chain>,
  least: number,
  speakingAlone: (character: number) => number,
): Candidate[] {
  const candidates: Candidate[] = [];
  for (const [source, chain] of chains) {
    const { count, left, right } = chain;
    if (count < least || left.different < 2 || right.different < 2) continue;
    // A common chain with few neighbours is a piece of a longer one.
    if (count >= 20 && Math.min(left.entropy, right.entropy) < 1.2) continue;
    if (isOrdinaryPerson(source) || neverNames('zh').has(source) || notFirst.has(source.charCodeAt(0))) continue;
    const points = nameLikeness(source, chain, speakingAlone(source.charCodeAt(source.length - 1)));
    if (points < leastPoints) continue;
    const confidence = Math.min(0.97, 0.45 + 0.17 * points) * (1 - 0.5 * Math.exp(-count / 6));
    const type = chain.speaks > count * 0.05 ? 'person' : 'unknown';
    candidates.push(candidateOf(source, count, { weight: Math.min(2, points), confidence, type }));
  }
  return candidates;
}

const leastPoints = 1.2;

/**
 * Points for and against. 张辽 starts with a surname, 玄德 speaks, 荆州 ends like a place, 大喜 is in the dictionary. A name is
 * who a clause begins with and, now and then, whom it ends with. An adverb never ends one, a verb hardly begins one.
 */
function nameLikeness(source: string, chain: Chain, lastSpeaks: number): number {
  const { count } = chain;
  const [opens, closes, speaks] = [chain.opens / count, chain.closes / count, chain.speaks / count];
  const isOrdinary = isDictionaryWord(source, 'zh');
  const isPlace = endsLikePlace(source);
  const standsLikeName = opens >= 0.28 && closes >= 0.03 && closes <= 0.45;
  let points = isOrdinary ? -1 : 0.3;
  if (standsLikeName) points += 1;
  else if (!isPlace && count >= 10 && (opens < 0.12 || closes < 0.01)) points -= 0.7;
  if (startsWithSurname(source) && source.length <= 4) points += lastSpeaks >= 0.05 && standsLikeName ? 2.2 : 1.2;
  if (opens >= 0.25) points += speaks >= 0.1 ? 1.5 : speaks >= 0.04 ? 1 : 0;
  if (isPlace) points += isOrdinary ? 0.5 : 1;
  return points;
}

// Characters that glue sentences together and make every chain look like a word.
const functional = charactersOf(
  '的了是我你他她它不在有这那這们們就也都和着著说說道吗嗎呢吧啊得地很把被让讓给給对對又再还還没沒会會能要想去来來上下里裡中么麼怎什个個些只此曰其之所者矣乎见見听聽问問笑叹嘆忙便却卻因为為与與从從到出起过過欲已未才且向叫',
);
export function gluesSentences(character: number): boolean {
  return functional.has(character);
}

/** No name starts so, though words do. */
const notFirst = charactersOf('一二三四五六七八九十两兩几幾每各某众眾诸諸如何如今大小引乃');
const speech = charactersOf('道曰说說笑问問叹嘆忙听聽答喝哭骂罵');

function charactersOf(list: string): ReadonlySet<number> {
  return new Set([...list].map((character) => character.charCodeAt(0)));
}

const speaker = /(?<![\p{Script=Han}])(\p{Script=Han}{2,3})[笑大急忙喝叹嘆冷]?[道曰](?=[：:])/gu;
/** Characters that only sentences have, not names. */
const inSentences =
  /[的了是我你他她它不在有这那這们們就也都和着著说說道吗嗎呢吧啊得地很把被让讓给給对對又再还還没沒会會能想去来來么麼怎什个個些只此其之所矣乎见見听聽问問笑叹嘆便却卻因为為与與从從到起过過欲已未才且向叫一两兩几幾每各某众眾诸諸忙急答喝哭骂罵应應回连連]/u;

const leastSpeeches = 12;
/** Who only ever speaks is 一人, 众官 or the like; a hero does other things too. */
const mostSpeaking = 0.7;

/**
 * Who speaks in a Chinese novel: what stands alone between a mark and the verb of speech, again and again. It finds the names that
 * statistics of characters cannot, because their characters are in every sentence: 行者道, 三藏道, 大圣道.
 */
function mineSpeakers(texts: readonly string[]): Candidate[] {
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

/** More than any real book has; beyond that new ones are not counted. */
const maxPairs = 2_000_000;

/** How often Han characters occur, and two of them side by side. All are UTF-16 units. */
export function countHanPairs(texts: Iterable<string>): {
  total: number;
  single: (unit: number) => number;
  pair: (a: number, b: number) => number;
} {
  const single = new Int32Array(65_536);
  const pairs = new Map<number, number>();
  let total = 0;
  for (const text of texts) {
    let previous = 0;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      const isHan = scriptOfUnit(unit) === script.han;
      if (isHan) {
        total++;
        single[unit] = (single[unit] ?? 0) + 1;
      }
      const count = isHan && previous !== 0 ? (pairs.get(keyOf(previous, unit)) ?? 0) : undefined;
      if (count !== undefined && (count > 0 || pairs.size < maxPairs)) pairs.set(keyOf(previous, unit), count + 1);
      previous = isHan ? unit : 0;
    }
  }
  return { total, single: (unit) => single[unit] ?? 0, pair: (a, b) => pairs.get(keyOf(a, b)) ?? 0 };
}

/** A small integer, which maps keep without an object of its own. */
function keyOf(a: number, b: number): number {
  return (a << 16) | b;
}
