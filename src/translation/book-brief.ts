/** What every call of a book is told of it. Made once, so that it is the same to the letter in all of them. */
import type { BookBrief, TermHint } from '../engines/engine.ts';
import { shorten } from '../glossary/extraction-plan.ts';
import type { Analysis } from './analyse-book.ts';
import type { BookInput } from './book.ts';
import { type Sheet, sheetLines } from './sheet.ts';
import { maxNoteCharacters } from './term-hints.ts';

const maxSynopsis = 500;
/** Who and what a novel is about; the others come with the passages that name them. */
const maxCoreTerms = 40;
const maxCoreCharacters = 2_000;
/** What occurs seldom is told where it occurs. */
const leastOccurrences = 5;

export function bookBrief(
  { terms, brief }: Pick<Analysis, 'terms' | 'brief'>,
  { style, background }: Pick<BookInput, 'style' | 'background'>,
  sheet: Sheet | undefined,
): BookBrief {
  const synopsis = shorten(brief.synopsis, maxSynopsis);
  return {
    ...(style === undefined ? {} : { style }),
    ...(background === undefined ? {} : { background }),
    ...(sheet === undefined ? {} : { sheet: sheetLines(sheet) }),
    ...(synopsis === '' ? {} : { synopsis }),
    core: coreOf(terms),
  };
}

export function coreOf(terms: Analysis['terms']): TermHint[] {
  let left = maxCoreCharacters;
  return terms
    .filter(({ occurrences }) => occurrences >= leastOccurrences)
    .toSorted((a, b) => b.occurrences - a.occurrences || (a.source < b.source ? -1 : 1))
    .slice(0, maxCoreTerms)
    .map(({ source, target, type, gender, note }) => ({
      source,
      target,
      type,
      gender,
      ...(note === undefined ? {} : { note: note.slice(0, maxNoteCharacters) }),
    }))
    .filter(({ source, target, note = '' }) => {
      left -= source.length + target.length + note.length;
      return left >= 0;
    });
}
