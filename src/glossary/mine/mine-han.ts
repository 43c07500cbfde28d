import { script, scriptOfUnit } from '../../language/scripts.ts';
import type { Candidate } from './candidate.ts';

/**
 * Chinese has no capitals: a name is a chain of characters that meet far more often than chance (cohesion) and whose
 * neighbours vary on both sides (branching). Pairs are counted first in flat arrays, then only chains of strong pairs
 * are counted as strings, so memory stays near 40 MB at 5,000,000 characters.
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
  return countChains(texts, strong, least);
}

interface Chain {
  count: number;
  left: Set<number>;
  right: Set<number>;
}

function countChains(texts: readonly string[], strong: (a: number, b: number) => boolean, least: number): Candidate[] {
  const chains = new Map<string, Chain>();
  for (const text of texts) {
    let start = 0;
    while (start < text.length - 1) {
      let end = start + 1;
      while (end < text.length && strong(text.charCodeAt(end - 1), text.charCodeAt(end))) end++;
      if (end - start >= 2 && end - start <= 6) {
        const source = text.slice(start, end);
        const chain = chains.get(source) ?? { count: 0, left: new Set(), right: new Set() };
        chain.count++;
        if (chain.left.size < 8) chain.left.add(start > 0 ? text.charCodeAt(start - 1) : 0);
        if (chain.right.size < 8) chain.right.add(end < text.length ? text.charCodeAt(end) : 0);
        // Past this, only chains already known are followed: what first shows up this late and rare is left to the engine.
        if (chain.count > 1 || chains.size < 200_000) chains.set(source, chain);
      }
      start = end;
    }
  }
  const candidates: Candidate[] = [];
  for (const [source, { count, left, right }] of chains) {
    if (count < least || left.size < 2 || right.size < 2) continue;
    candidates.push({ source, occurrences: count, strength: count * Math.min(left.size, right.size) });
  }
  return candidates;
}

// Characters that glue sentences together and make every chain look like a word.
const functional = new Set(
  [
    ...'的了是我你他她它不在有这那這们們就也都和着著说說道吗嗎呢吧啊得地很把被让讓给給对對又再还還没沒会會能要想去来來上下里裡中',
  ].map((character) => character.charCodeAt(0)),
);

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
