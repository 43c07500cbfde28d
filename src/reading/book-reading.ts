/**
 * A translated book for people to read. An index tells about the whole book in a few kilobytes, and a second file holds the
 * chapters one after the other. A chapter is then one range of bytes, however long the novel is.
 */
import type { Block, Document, RubyReading, Section } from '../documents/document.ts';
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

/** What is known of every block, for the reader and for interchange formats; chapter by chapter, because a book is long. */
export function* readingChapters({
  document,
  texts,
  terms,
  report,
  sourceLang,
}: BookForReading): Generator<{ section: Section; blocks: ReadingBlock[] }> {
  const index = indexTerms(terms, sourceLang);
  const numbers = new Map(terms.map((term, i) => [term, i]));
  const reasons = reasonsIn(report);
  const states = new Map(
    report.coverage.locations.map(
      ({ block_id, reason }) => [block_id, reason === 'no_letters' ? 'kept' : 'failed'] as const,
    ),
  );
  const readingBlock = ({ id, kind, text, ruby, italics }: Block): ReadingBlock => {
    const termNumbers = findTerms(stripInlineTags(text), index).map(({ term }) => numbers.get(term) ?? 0);
    return {
      ...{ id, kind, source: text, ...(ruby && { ruby }), ...(italics && { italics }) },
      target: texts.get(id) ?? text,
      state: states.get(id) ?? 'translated',
      notes: [...(reasons.get(id)?.values() ?? [])],
      terms: [...new Set(termNumbers)],
    };
  };
  for (const section of document.sections) yield { section, blocks: section.blocks.map(readingBlock) };
}

/** What the report says about blocks, by their ids and the codes of it. */
function reasonsIn({ warnings, review }: BookForReading['report']): Map<string, Map<string, string>> {
  const reasons = new Map(
    review.paragraphs.map(({ block_id, reasons: own }) => [
      block_id,
      new Map(own.map((each) => [each.code, each.message])),
    ]),
  );
  // What a warning says of many paragraphs, a reason says of the one.
  for (const { code, message, block_ids } of warnings)
    for (const id of block_ids ?? []) {
      const blockReasons = reasons.getOrInsertComputed(id, () => new Map());
      blockReasons.getOrInsert(code, message);
    }
  return reasons;
}
