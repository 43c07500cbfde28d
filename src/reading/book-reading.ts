/**
 * A translated book for people to read. An index tells about the whole book in a few kilobytes, and a second file holds the
 * chapters one after the other. A chapter is then one range of bytes, however long the novel is.
 */
import type { Block, Document, RubyReading } from '../documents/document.ts';
import { findTerms, indexTerms } from '../glossary/match.ts';
import { stripInlineTags } from '../inline-tags.ts';
import type { Term } from '../term.ts';
import type { Report } from '../translation/report.ts';

export interface ReadingBlock {
  id: string;
  kind: string;
  source: string;
  /** Readings beside words of the source, in its order. */
  ruby?: readonly RubyReading[];
  /** Numbers of the inline tags that are italics, 0 for the whole paragraph. */
  italics?: readonly number[];
  target: string;
  state: 'translated' | 'kept' | 'failed';
  /** What the report says about it. */
  notes: string[];
  /** Indexes into the terms of the book. */
  terms: number[];
}

export interface ReadingChapter {
  title: string | null;
  translatedTitle: string | null;
  characters: number;
  /** Goes on with the chapter before: long chapters are cut, so that no piece is large. */
  continued: boolean;
  /** One letter per block: `.` translated, `k` kept, `f` failed, `w` with a warning. */
  marks: string;
  /** The number of the first block, as in its id. */
  firstBlock: number;
  /** Bytes in the file of chapters. */
  offset: number;
  length: number;
}

export interface ReadingTerm extends Omit<Term, 'note' | 'caseSensitive' | 'conflicts'> {
  note: string | null;
  /** Chapter and block id, the first ones. */
  places: [chapter: number, blockId: string][];
}

export interface ReadingIndex {
  version: 1;
  title: string | null;
  author: string | null;
  sourceLang: string;
  targetLang: string;
  vertical: boolean;
  chapters: ReadingChapter[];
  terms: ReadingTerm[];
  /** Ids of the paragraphs to look at first, in that order; absent in books of earlier versions. */
  review?: string[];
  /** How the book is translated, a line for each decision; absent where nothing was settled. */
  sheet?: string[];
}

/** The entry as it stands in glossaries. */
export function termOf({ places: _places, note, ...entry }: ReadingTerm): Term {
  return { ...entry, ...(note === null ? {} : { note }) };
}

export interface BookForReading {
  document: Document;
  texts: ReadonlyMap<string, string>;
  terms: readonly Term[];
  report: Pick<Report, 'coverage' | 'warnings' | 'sheet' | 'review'>;
  sourceLang: string;
  targetLang: string;
}

/** What is known of every block, for the reader and for interchange formats. */
export function readingChapters(book: BookForReading): ReadingBlock[][] {
  const seen = seenIn(book.report);
  const marked = markedWith(book);
  return book.document.sections.map(({ blocks }) => blocks.map((block) => marked(block, book.texts, seen)));
}

/** What the report says about blocks, by their ids. */
export interface SeenBlocks {
  notes: ReadonlyMap<string, string[]>;
  states: ReadonlyMap<string, 'kept' | 'failed'>;
}

export function seenIn({ warnings, coverage, review }: BookForReading['report']): SeenBlocks {
  const reasons = new Map(
    review.paragraphs.map(({ block_id, reasons: own }) => [
      block_id,
      new Map(own.map((each) => [each.code, each.message])),
    ]),
  );
  // What a warning says of many paragraphs, a reason says of the one.
  for (const { code, message, block_ids } of warnings)
    for (const id of block_ids ?? []) {
      const blockReasons = reasons.get(id) ?? new Map<string, string>();
      reasons.set(id, blockReasons);
      if (!blockReasons.has(code)) blockReasons.set(code, message);
    }
  const notes = new Map([...reasons].map(([id, own]) => [id, [...own.values()]]));
  const states = new Map(
    coverage.locations.map(({ block_id, reason }) => [block_id, reason === 'no_letters' ? 'kept' : 'failed'] as const),
  );
  return { notes, states };
}

type Mark = (block: Block, texts: Pick<BookForReading['texts'], 'get'>, seen: SeenBlocks) => ReadingBlock;

/** Makes what the reader shows of a block. */
export function markedWith({ terms, sourceLang }: Pick<BookForReading, 'terms' | 'sourceLang'>): Mark {
  const index = indexTerms(terms, sourceLang);
  const numbers = new Map(terms.map((term, i) => [term, i]));
  return (block, texts, { notes, states }) => {
    const termNumbers = findTerms(stripInlineTags(block.text), index).map(({ term }) => numbers.get(term) ?? 0);
    return {
      id: block.id,
      kind: block.kind,
      source: block.text,
      ...(block.ruby ? { ruby: block.ruby } : {}),
      ...(block.italics ? { italics: block.italics } : {}),
      target: texts.get(block.id) ?? block.text,
      state: states.get(block.id) ?? 'translated',
      notes: notes.get(block.id) ?? [],
      terms: [...new Set(termNumbers)],
    };
  };
}
