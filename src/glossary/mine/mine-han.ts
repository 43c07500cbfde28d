import { script, scriptOfUnit } from '../../language/scripts.ts';
import type { Candidate } from './candidate.ts';
import { isDictionaryWord } from './dictionary-word.ts';
import { endsLikePlace, isOrdinaryPerson, startsWithSurname } from './han-names.ts';
import { mineSpeakers } from './mine-speakers.ts';
import { Neighbours } from './neighbours.ts';
import { neverNames } from './not-names.ts';

/**
 * Chinese has no capitals. A name is a chain of characters that meet far more often than chance (cohesion) and whose neighbours
 * vary on both sides (branching). Pairs are counted first in flat arrays, then only chains of strong pairs as strings. So memory
 * stays near 40 MB at 5,000,000 characters.
 */
export function mineHan(texts: readonly string[]): Candidate[] {
  const single = new Int32Array(65_536);
  const pairs = new PairCounter();
  let total = 0;
  for (const text of texts) {
    let previous = 0;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (scriptOfUnit(unit) !== script.han) {
        previous = 0;
        continue;
      }
      total++;
      single[unit] = (single[unit] ?? 0) + 1;
      if (previous !== 0) pairs.add(previous, unit);
      previous = unit;
    }
  }
  const least = Math.max(3, Math.floor(total / 250_000));
  // Ten times chance separates 小雨 from 雨说 in web novels; a page or two cannot get that far above chance.
  const timesChance = total < 2_000 ? 3 : 10;
  const strong = (a: number, b: number): boolean => {
    const count = pairs.get(a, b);
    if (count < least || functional.has(a) || functional.has(b)) return false;
    return count * total > timesChance * (single[a] ?? 0) * (single[b] ?? 0);
  };
  const candidates = judgeChains(countChains(texts, strong), least, (character) =>
    speakingShare(single, pairs, character),
  );
  const known = new Set(candidates.map(({ source }) => source));
  return [...candidates, ...mineSpeakers(texts).filter(({ source }) => !known.has(source))];
}

interface Chain {
  count: number;
  /** Of them before a verb of speech: 宝玉道, 孔明曰. */
  speaks: number;
  /** Of them right behind a mark or the start of a line, and right before one. */
  opens: number;
  closes: number;
  left: Neighbours;
  right: Neighbours;
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
          const chain = known ?? {
            count: 0,
            speaks: 0,
            opens: 0,
            closes: 0,
            left: new Neighbours(),
            right: new Neighbours(),
          };
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

/** How often one character alone stands before a verb of speech: 操曰, 布曰. Then it is somebody's name. */
function speakingShare(single: Int32Array, pairs: PairCounter, character: number): number {
  const count = single[character] ?? 0;
  if (count < 20) return 0;
  let speaks = 0;
  for (const verb of speech) speaks += pairs.get(character, verb);
  return speaks / count;
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
    candidates.push({
      source,
      aliases: [],
      occurrences: count,
      strength: count * Math.min(2, points) * confidence,
      confidence: Math.round(confidence * 100) / 100,
      type: chain.speaks > count * 0.05 ? 'person' : 'unknown',
      gender: 'unknown',
    });
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

class PairCounter {
  #keys = new Uint32Array(1 << 18);
  #counts = new Int32Array(1 << 18);
  #used = 0;

  add(a: number, b: number): void {
    const slot = this.#slot(a, b);
    if (this.#counts[slot] === 0) {
      // 2^22 pairs are more than any real book has; beyond that new ones are not counted.
      if (this.#used >= 3_000_000) return;
      this.#keys[slot] = a * 65_536 + b;
      this.#used++;
    }
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
    if (this.#used * 4 > this.#keys.length * 3) this.#grow();
  }

  get(a: number, b: number): number {
    return this.#counts[this.#slot(a, b)] ?? 0;
  }

  #slot(a: number, b: number): number {
    const key = a * 65_536 + b;
    const mask = this.#keys.length - 1;
    let slot = (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & mask;
    while (this.#counts[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [keys, counts] = [this.#keys, this.#counts];
    this.#keys = new Uint32Array(keys.length * 2);
    this.#counts = new Int32Array(keys.length * 2);
    for (const [from, key] of keys.entries()) {
      const count = counts[from] ?? 0;
      if (count === 0) continue;
      const slot = this.#slot(key >>> 16, key & 0xffff);
      this.#keys[slot] = key;
      this.#counts[slot] = count;
    }
  }
}
