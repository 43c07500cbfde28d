/**
 * Candidates for names by statistics over the whole range: they tell the engine what the whole book repeats when it
 * sees only a chunk. Linear time; memory does not grow with the book.
 */
import { baseCode } from '../../language/languages.ts';
import type { Candidate } from './candidate.ts';
import { mineHan } from './mine-han.ts';
import { mineHangul, mineJapanese } from './mine-runs.ts';
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
