/**
 * Names by statistics over the whole range, without any model. They tell an engine what the whole book repeats when it
 * sees only a part of it, and they are all the offline engine has. Linear time; memory does not grow with the book.
 */
import { baseCode } from '../../language/languages.ts';
import type { Candidate, MinedNames } from './candidate.ts';
import { mineHan } from './mine-han.ts';
import { mineHangul } from './mine-hangul.ts';
import { mineJapanese } from './mine-japanese.ts';
import { mineWords } from './mine-words.ts';

/** Strongest first, at most `limit`. `texts` are paragraphs without inline tags. */
export function mineCandidates(texts: readonly string[], language: string, limit = 2_000): Candidate[] {
  return mineNames(texts, language, limit).candidates;
}

/** Also what only somebody who reads it can decide. */
export function mineNames(texts: readonly string[], language: string, limit = 2_000): MinedNames {
  const { candidates, rare } = mined(texts, language);
  return { candidates: strongest(candidates, limit), rare: strongest(rare, limit) };
}

function strongest(candidates: readonly Candidate[], limit: number): Candidate[] {
  return candidates.toSorted((a, b) => b.strength - a.strength || (a.source < b.source ? -1 : 1)).slice(0, limit);
}

function mined(texts: readonly string[], language: string): MinedNames {
  switch (baseCode(language)) {
    case 'zh':
      return { candidates: mineHan(texts), rare: [] };
    case 'ja':
      return { candidates: mineJapanese(texts), rare: [] };
    case 'ko':
      return { candidates: mineHangul(texts), rare: [] };
    default:
      return mineWords(texts, language);
  }
}
