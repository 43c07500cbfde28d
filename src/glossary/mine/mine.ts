/**
 * Names by statistics over the whole range, without any model: they tell an engine what the whole book repeats when it
 * sees only a part of it, and they are all the offline engine has. Linear time; memory does not grow with the book.
 */
import { baseCode } from '../../language/languages.ts';
import type { Candidate } from './candidate.ts';
import { mineHan } from './mine-han.ts';
import { mineHangul } from './mine-hangul.ts';
import { mineJapanese } from './mine-japanese.ts';
import { mineWords } from './mine-words.ts';

/** Strongest first, at most `limit`. `texts` are paragraphs without inline tags. */
export function mineCandidates(texts: readonly string[], language: string, limit = 2_000): Candidate[] {
  return minerOf(language)(texts, language)
    .sort((a, b) => b.strength - a.strength || (a.source < b.source ? -1 : 1))
    .slice(0, limit);
}

function minerOf(language: string): (texts: readonly string[], language: string) => Candidate[] {
  const code = baseCode(language);
  if (code === 'zh') return mineHan;
  if (code === 'ja') return mineJapanese;
  return code === 'ko' ? mineHangul : mineWords;
}
