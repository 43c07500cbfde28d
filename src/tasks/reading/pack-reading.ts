/**
 * Packs a book for the reader, chapter by chapter and while the rest of it is still being translated: what is left at its end takes a moment and not
 * as long as writing the book.
 */
import type { Block, Section } from '../../documents/document.ts';
import { stripInlineTags } from '../../inline-tags.ts';
import { titlePieces } from '../../translation/chapter-title.ts';
import { hasTranslatableWords } from '../../translation/plan/units.ts';
import {
  type BookForReading,
  markedWith,
  type ReadingBlock,
  type ReadingChapter,
  type ReadingIndex,
  type ReadingTerm,
  type SeenBlocks,
  seenIn,
} from './book-reading.ts';

type Texts = Pick<BookForReading['texts'], 'get'>;

/** A chapter, or a part of a long one. */
interface Piece extends Omit<ReadingChapter, 'title' | 'offset' | 'length'> {
  body: Buffer;
  /** Numbers of the terms in it, and where. */
  terms: [term: number, blockId: string][];
}

interface PackedSection {
  texts: readonly string[];
  pieces: Piece[];
}

const maxPlaces = 500;

export class ReadingPack {
  readonly #book: Pick<BookForReading, 'document' | 'terms' | 'sourceLang'>;
  /** Made when it is first needed: the first calls are waiting. */
  #marked: ReturnType<typeof markedWith> | undefined;
  readonly #ahead: PackedSection[] = [];
  /** Those of the next section, up to the first that is missing. */
  #ready: string[] = [];

  constructor(book: Pick<BookForReading, 'document' | 'terms' | 'sourceLang'>) {
    this.#book = book;
  }

  /**
   * Packs the next section, when all its texts are there.
   * @returns false when some are missing, or no section is left
   */
  packAhead(texts: Texts): boolean {
    const section = this.#book.document.sections[this.#ahead.length];
    if (section === undefined) return false;
    const { blocks } = section;
    // A book may be one section, and is asked for again and again.
    for (let at = this.#ready.length; at < blocks.length; at++) {
      const text = texts.get(blocks[at]?.id ?? '');
      if (text === undefined) return false;
      this.#ready.push(text);
    }
    const own = this.#ready;
    this.#ready = [];
    const states = new Map(blocks.filter(isKept).map(({ id }) => [id, 'kept'] as const));
    const given = new Map(blocks.map(({ id }, i) => [id, own[i] ?? '']));
    this.#ahead.push({ texts: own, pieces: this.#pack(section, given, { notes: new Map(), states }) });
    return true;
  }

  /** With the texts as they are now, and what the report says about them. */
  finish({ document, texts, terms, report, sourceLang, targetLang }: BookForReading): {
    index: string;
    chapters: Buffer;
  } {
    const seen = seenIn(report);
    const places = terms.map((): ReadingTerm['places'] => []);
    const packed: ReadingChapter[] = [];
    const bodies: Buffer[] = [];
    let offset = 0;
    for (const [i, section] of document.sections.entries()) {
      const { title, blocks } = section;
      const ahead = this.#ahead[i];
      const isSame = ahead !== undefined && isAsPacked(blocks, ahead, texts, seen);
      for (const { body, terms: own, ...piece } of isSame ? ahead.pieces : this.#pack(section, texts, seen)) {
        for (const [term, blockId] of own) {
          const known = places[term];
          if (known && known.length < maxPlaces) known.push([packed.length, blockId]);
        }
        const shown = piece.continued || title === undefined ? null : title;
        packed.push({ title: shown, ...piece, offset, length: body.length });
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

  #pack({ title, blocks }: Section, texts: Texts, seen: SeenBlocks): Piece[] {
    this.#marked ??= markedWith(this.#book);
    const marked = this.#marked;
    const translatedTitle = titlePieces(title, blocks)
      ?.map((piece) => (typeof piece === 'string' ? piece : stripInlineTags(texts.get(piece.id) ?? piece.text)))
      .join('');
    return piecesOf(blocks.map((block) => marked(block, texts, seen))).map((piece, part) => ({
      body: Buffer.from(JSON.stringify(piece)),
      translatedTitle: part > 0 ? null : (translatedTitle ?? null),
      characters: piece.reduce((sum, { source }) => sum + source.length, 0),
      continued: part > 0,
      marks: piece.map(markOf).join(''),
      firstBlock: Number(piece[0]?.id.slice(1) ?? 0),
      terms: piece.flatMap(({ id, terms }) => terms.map((term): [number, string] => [term, id])),
    }));
  }
}

/** As the plan does it: what has no words goes into the translation as it is. */
function isKept({ text }: Block): boolean {
  return !hasTranslatableWords(text);
}

function isAsPacked(
  blocks: readonly Block[],
  { texts: packed }: PackedSection,
  texts: Texts,
  { notes, states }: SeenBlocks,
): boolean {
  return blocks.every(
    (block, i) =>
      texts.get(block.id) === packed[i] &&
      !notes.has(block.id) &&
      states.get(block.id) === (isKept(block) ? 'kept' : undefined),
  );
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
