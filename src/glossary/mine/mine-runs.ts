import { stripTitles } from '../titles.ts';
import { BoundedCounter } from './bounded-counter.ts';
import type { Candidate } from './candidate.ts';

/** Katakana runs with their parts, and kanji runs: an honorific behind them is the best sign of a name. */
export function mineJapanese(texts: readonly string[]): Candidate[] {
  const counts = new BoundedCounter();
  const honoured = new BoundedCounter();
  const note = (name: string, after: string): void => {
    counts.add(name);
    if (/^(?:さん|ちゃん|くん|様|さま|殿|先生|先輩|君|卿)/u.test(after)) honoured.add(name);
  };
  for (const text of texts) {
    for (const match of text.matchAll(/[ァ-ヺー]{2,}(?:[・=＝][ァ-ヺー]{2,})*/gu)) {
      const after = text.slice(match.index + match[0].length, match.index + match[0].length + 4);
      note(match[0], after);
      for (const part of match[0].split(/[・=＝]/u)) if (part !== match[0]) counts.add(part);
    }
    for (const match of text.matchAll(/[\p{Script=Han}々]{2,6}/gu)) {
      const after = text.slice(match.index + match[0].length, match.index + match[0].length + 4);
      const bare = stripTitles(match[0]);
      if (bare !== match[0]) honoured.add(bare);
      note(bare, after);
    }
  }
  return ranked(counts, honoured, 2);
}

/** Words with their particles taken off; a name takes several particles and often 씨 or 님. */
export function mineHangul(texts: readonly string[]): Candidate[] {
  const counts = new BoundedCounter();
  const honoured = new BoundedCounter();
  const particles = new Map<string, Set<string>>();
  for (const text of texts) {
    for (const match of text.matchAll(/[가-힣]{2,8}/gu)) {
      const parts = /^([가-힣]{2,5}?)(씨|님|군|양)?(은|는|이|가|을|를|의|에게|와|과|도|만|한테|께서)?$/u.exec(match[0]);
      const stem = parts?.[1];
      if (stem === undefined) continue;
      counts.add(stem);
      if (parts?.[2] !== undefined) honoured.add(stem);
      const seen = particles.get(stem) ?? new Set();
      if (parts?.[3] !== undefined && seen.size < 8) seen.add(parts[3]);
      // Bounded like the counters: late stems without an entry only lose this one piece of evidence.
      if (particles.size < 100_000) particles.set(stem, seen);
    }
  }
  return ranked(counts, honoured, 3).filter(
    ({ source }) => honoured.get(source) > 0 || (particles.get(source)?.size ?? 0) >= 3,
  );
}

function ranked(counts: BoundedCounter, honoured: BoundedCounter, least: number): Candidate[] {
  const candidates: Candidate[] = [];
  for (const [source, occurrences] of counts.entries()) {
    const honours = honoured.get(source);
    if (occurrences < least && honours === 0) continue;
    candidates.push({ source, occurrences, strength: occurrences + 10 * honours });
  }
  return candidates;
}
