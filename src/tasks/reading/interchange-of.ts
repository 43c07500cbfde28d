import type { InterchangeBook, UnitState } from '../../interchange/interchange-book.ts';
import { type BookForReading, type ReadingBlock, readingChapters } from './book-reading.ts';

/** The book as interchange formats want it; names and terms of a paragraph stand in its notes. */
export function interchangeOf(
  book: BookForReading,
  fileName: string,
  chapters = readingChapters(book),
): InterchangeBook {
  return {
    fileName,
    sourceLang: book.sourceLang,
    targetLang: book.targetLang,
    chapters: chapters.map((blocks, i) => ({
      title: book.document.sections[i]?.title,
      units: blocks.map((block) => ({
        id: block.id,
        source: block.source,
        target: block.target,
        state: stateOf(block),
        notes: [...block.notes, ...termNotes(block, book)],
      })),
    })),
  };
}

function stateOf({ state, notes }: ReadingBlock): UnitState {
  if (state === 'failed') return 'untranslated';
  return notes.length > 0 ? 'review' : 'translated';
}

function termNotes({ terms: numbers }: ReadingBlock, { terms }: BookForReading): string[] {
  const entries = numbers.flatMap((number) => {
    const term = terms[number];
    return term === undefined ? [] : [`${term.source} → ${term.target}`];
  });
  return entries.length === 0 ? [] : [`Terms: ${entries.join('; ')}`];
}
