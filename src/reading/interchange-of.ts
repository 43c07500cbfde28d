/** The book as interchange formats want it; names and terms of a paragraph stand in its notes. */
import type { InterchangeBook, InterchangeUnit, UnitState } from '../interchange/interchange-book.ts';
import type { Term } from '../term.ts';
import { type BookForReading, type ReadingBlock, readingChapters } from './book-reading.ts';

type TermEntry = Pick<Term, 'source' | 'target'>;

export function interchangeOf(book: BookForReading, fileName: string): InterchangeBook {
  return {
    fileName,
    sourceLang: book.sourceLang,
    targetLang: book.targetLang,
    chapters: Array.from(readingChapters(book), ({ section, blocks }) => ({
      title: section.title,
      units: blocks.map((block) => unitOf(block, book.terms)),
    })),
  };
}

/** What a person has corrected or approved is final, whatever was said about it before. */
export function unitOf(
  block: ReadingBlock & { corrected?: boolean; approved?: boolean },
  terms: readonly TermEntry[],
): InterchangeUnit {
  const { id, source, target, corrected = false, approved = false } = block;
  const isFinal = corrected || approved;
  const notes = isFinal ? [] : block.notes;
  return {
    id,
    source,
    target,
    state: isFinal ? 'final' : stateOf(block),
    notes: [...notes, ...termNotes(block, terms)],
  };
}

function stateOf({ state, notes }: ReadingBlock): UnitState {
  if (state === 'failed') return 'untranslated';
  return notes.length > 0 ? 'review' : 'translated';
}

function termNotes({ terms: numbers }: ReadingBlock, terms: readonly TermEntry[]): string[] {
  const entries = numbers.flatMap((number) => {
    const term = terms[number];
    return term === undefined ? [] : [`${term.source} → ${term.target}`];
  });
  return entries.length === 0 ? [] : [`Terms: ${entries.join('; ')}`];
}
