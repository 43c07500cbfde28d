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

const maxNames = 2_000;

/** Strongest first. `texts` are paragraphs without inline tags. */
export function mineNames(texts: readonly string[], language: string): MinedNames {
  const { candidates, rare } = mined(texts, language);
  return { candidates: strongest(candidates), rare: strongest(rare) };
}

function strongest(candidates: readonly Candidate[]): Candidate[] {
  return candidates.toSorted((a, b) => b.strength - a.strength || (a.source < b.source ? -1 : 1)).slice(0, maxNames);
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
