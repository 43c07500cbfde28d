import type { BookBrief } from '../engine.ts';

/**
 * What of a brief fits, without its least important parts. It is decided by the window alone and not by a passage: the brief is the same in
 * every call of a book.
 */
export function fitBrief(brief: BookBrief, fits: (brief: BookBrief) => boolean): BookBrief {
  let left = brief;
  for (const without of leastFirst) {
    if (fits(left)) return left;
    left = without(left);
  }
  return left;
}

const leastFirst: readonly ((brief: BookBrief) => BookBrief)[] = [
  ({ synopsis: _, ...brief }) => brief,
  // Voices and phrases stand at its end.
  ({ sheet = [], ...brief }) => ({ ...brief, sheet: sheet.slice(0, Math.ceil(sheet.length / 2)) }),
  ({ background: _, ...brief }) => brief,
  (brief) => ({ ...brief, core: brief.core.filter(({ type }) => type === 'person') }),
  (brief) => ({ ...brief, core: brief.core.slice(0, 10) }),
  ({ sheet: _, ...brief }) => brief,
  (brief) => ({ ...brief, core: [] }),
  () => ({ core: [] }),
];
