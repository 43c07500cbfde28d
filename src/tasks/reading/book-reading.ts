/**
 * A translated book for people to read: an index that tells about the whole book in a few kilobytes, and the chapters one
 * after the other in a second file, so that a chapter is one range of bytes however long the novel is.
 */
import type { Document, RubyReading } from '../../documents/document.ts';
import { findTerms, indexTerms } from '../../glossary/match.ts';
import { stripInlineTags } from '../../inline-tags.ts';
import type { Term } from '../../term.ts';
import type { Report } from '../../translation/report.ts';

export interface ReadingBlock {
  id: string;
  kind: string;
  source: string;
  /** Readings beside words of the source, in its order. */
  ruby?: readonly RubyReading[];
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

export interface ReadingTerm {
  source: string;
  target: string;
  type: Term['type'];
  gender: Term['gender'];
  aliases: string[];
  note: string | null;
  occurrences: number;
  confidence: number;
  origin: Term['origin'];
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
}

/** The entry as it stands in glossaries. */
export function termOf({ places: _places, note, ...entry }: ReadingTerm): Term {
  return { ...entry, ...(note === null ? {} : { note }) };
}

const maxPlaces = 500;

export interface BookForReading {
  document: Document;
  texts: ReadonlyMap<string, string>;
  terms: readonly Term[];
  report: Pick<Report, 'coverage' | 'warnings'>;
  sourceLang: string;
  targetLang: string;
}

/** What is known of every block, for the reader and for interchange formats. */
export function readingChapters({ document, texts, terms, report, sourceLang }: BookForReading): ReadingBlock[][] {
  const notes = new Map<string, string[]>();
  for (const { message, block_ids } of report.warnings)
    for (const id of block_ids ?? []) notes.set(id, [...(notes.get(id) ?? []), message]);
  const states = new Map(
    report.coverage.locations.map(
      ({ block_id, reason }) => [block_id, reason === 'no_letters' ? 'kept' : 'failed'] as const,
    ),
  );
  const index = indexTerms(terms, sourceLang);
  const numbers = new Map(terms.map((term, i) => [term, i]));
  return document.sections.map(({ blocks }) =>
    blocks.map((block) => {
      const found = findTerms(stripInlineTags(block.text), index).map(({ term }) => numbers.get(term) ?? 0);
      return {
        id: block.id,
        kind: block.kind,
        source: block.text,
        ...(block.ruby ? { ruby: block.ruby } : {}),
        target: texts.get(block.id) ?? block.text,
        state: states.get(block.id) ?? 'translated',
        notes: notes.get(block.id) ?? [],
        terms: [...new Set(found)],
      };
    }),
  );
}

export function packReading(
  book: BookForReading,
  chapters: readonly ReadingBlock[][],
): { index: string; chapters: Buffer } {
  const { document, terms, sourceLang, targetLang } = book;
  const places = terms.map((): ReadingTerm['places'] => []);
  const packed: ReadingChapter[] = [];
  const bodies: Buffer[] = [];
  let offset = 0;
  for (const [section, blocks] of chapters.entries()) {
    const title = document.sections[section]?.title ?? null;
    for (const [part, piece] of piecesOf(blocks).entries()) {
      for (const block of piece) {
        for (const term of block.terms) {
          const own = places[term];
          if (own && own.length < maxPlaces) own.push([packed.length, block.id]);
        }
      }
      const body = Buffer.from(JSON.stringify(piece));
      const heading = piece.find(({ kind }) => kind === 'heading');
      packed.push({
        title: part === 0 ? title : null,
        translatedTitle: part > 0 || title === null || !heading ? null : stripInlineTags(heading.target),
        characters: piece.reduce((sum, { source }) => sum + source.length, 0),
        continued: part > 0,
        marks: piece.map(markOf).join(''),
        firstBlock: Number(piece[0]?.id.slice(1) ?? 0),
        offset,
        length: body.length,
      });
      bodies.push(body);
      offset += body.length;
    }
  }
  const index: ReadingIndex = {
    version: 1,
    title: document.title ?? null,
    author: document.author ?? null,
    sourceLang,
    targetLang,
    vertical: document.writingMode === 'vertical',
    chapters: packed,
    terms: terms.map((term, i) => ({
      source: term.source,
      target: term.target,
      type: term.type,
      gender: term.gender,
      aliases: term.aliases,
      note: term.note ?? null,
      occurrences: term.occurrences,
      confidence: term.confidence,
      origin: term.origin,
      places: places[i] ?? [],
    })),
  };
  return { index: JSON.stringify(index), chapters: Buffer.concat(bodies) };
}

const maxPieceBlocks = 150;
const maxPieceCharacters = 30_000;

function piecesOf(blocks: readonly ReadingBlock[]): ReadingBlock[][] {
  const pieces: ReadingBlock[][] = [];
  let characters = 0;
  for (const block of blocks) {
    const last = pieces.at(-1);
    if (!last || last.length >= maxPieceBlocks || characters + block.source.length > maxPieceCharacters) {
      pieces.push([block]);
      characters = 0;
    } else last.push(block);
    characters += block.source.length;
  }
  return pieces;
}

function markOf({ state, notes }: ReadingBlock): string {
  if (state === 'failed') return 'f';
  if (state === 'kept') return 'k';
  return notes.length > 0 ? 'w' : '.';
}
