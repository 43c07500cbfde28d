/** Packs a book for the reader, chapter by chapter. */
import type { Section } from '../documents/document.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { titlePieces } from '../translation/chapters.ts';
import { sheetLines } from '../translation/sheet.ts';
import {
  type BookForReading,
  type ReadingBlock,
  type ReadingChapter,
  type ReadingIndex,
  type ReadingTerm,
  readingChapters,
} from './book-reading.ts';

/** A chapter, or a part of a long one. */
interface Piece extends Omit<ReadingChapter, 'title' | 'offset' | 'length'> {
  body: Buffer;
  /** Numbers of the terms in it, and where. */
  terms: [term: number, blockId: string][];
}

const maxPlaces = 500;

export function packReading(book: BookForReading): { index: string; chapters: Buffer } {
  const { document, texts, terms, report, sourceLang, targetLang } = book;
  const places = terms.map((): ReadingTerm['places'] => []);
  const packed: ReadingChapter[] = [];
  const bodies: Buffer[] = [];
  let offset = 0;
  for (const { section, blocks } of readingChapters(book)) {
    for (const { body, terms: own, ...piece } of packPieces(blocks, titleOf(section, texts))) {
      for (const [term, blockId] of own) {
        const known = places[term];
        if (known && known.length < maxPlaces) known.push([packed.length, blockId]);
      }
      const title = piece.continued ? null : (section.title ?? null);
      packed.push({ title, ...piece, offset, length: body.length });
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
    terms: terms.map(({ caseSensitive: _caseSensitive, conflicts: _conflicts, note = null, ...term }, i) => ({
      ...term,
      note,
      places: places[i] ?? [],
    })),
    review: report.review.paragraphs.map(({ block_id }) => block_id),
    ...(report.sheet === undefined ? {} : { sheet: sheetLines(report.sheet) }),
  };
  return { index: JSON.stringify(index), chapters: Buffer.concat(bodies) };
}

function titleOf({ title, blocks }: Section, texts: BookForReading['texts']): string | null {
  const pieces = titlePieces(title, blocks)?.map((piece) =>
    typeof piece === 'string' ? piece : stripInlineTags(texts.get(piece.id) ?? piece.text),
  );
  return pieces?.join('') ?? null;
}

function packPieces(blocks: readonly ReadingBlock[], translatedTitle: string | null): Piece[] {
  return piecesOf(blocks).map((piece, part) => ({
    body: Buffer.from(JSON.stringify(piece)),
    translatedTitle: part > 0 ? null : translatedTitle,
    characters: piece.reduce((sum, { source }) => sum + source.length, 0),
    continued: part > 0,
    marks: piece.map(markOf).join(''),
    firstBlock: Number(piece[0]?.id.slice(1) ?? 0),
    terms: piece.flatMap(({ id, terms }) => terms.map((term): [number, string] => [term, id])),
  }));
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
