/** A translated book as interchange formats carry it: chapters of units, each a block of the document with its translation. */
export interface InterchangeBook extends AboutBook {
  chapters: readonly InterchangeChapter[];
}

export interface InterchangeChapter {
  title: string | undefined;
  units: readonly InterchangeUnit[];
}

/** `untranslated`: stayed in the source language; `review`: delivered, with a fault to look at; `final`: corrected by a person. */
export type UnitState = 'translated' | 'untranslated' | 'review' | 'final';

export interface InterchangeUnit {
  /** The block's id. */
  id: string;
  /** Both with inline tags as in `inline-tags.ts`. */
  source: string;
  target: string;
  state: UnitState;
  notes: readonly string[];
}

export interface AboutBook {
  fileName: string;
  /** BCP-47. */
  sourceLang: string;
  targetLang: string;
}

/** One format, piece by piece. */
export interface BookWriter {
  begin(): string;
  beginChapter(title: string | undefined, number: number): string;
  units(units: readonly InterchangeUnit[]): string;
  endChapter(): string;
  end(): string;
}

export function writeWhole(writer: BookWriter, chapters: readonly InterchangeChapter[]): string {
  const written = chapters.map(({ title, units }, i) =>
    units.length === 0 ? '' : writer.beginChapter(title, i + 1) + writer.units(units) + writer.endChapter(),
  );
  return [writer.begin(), ...written, writer.end()].join('');
}

/** A chapter, or a part of one: then `continued` says that it goes on with the one before. */
export interface ChapterPiece extends InterchangeChapter {
  continued: boolean;
}

/** The same text as `writeWhole`, and never the whole book in memory. */
export async function* writePieces(writer: BookWriter, pieces: AsyncIterable<ChapterPiece>): AsyncGenerator<string> {
  let number = 0;
  yield writer.begin();
  for await (const { title, continued, units } of pieces) {
    if (!continued) yield `${number++ > 0 ? writer.endChapter() : ''}${writer.beginChapter(title, number)}`;
    yield writer.units(units);
  }
  yield `${number > 0 ? writer.endChapter() : ''}${writer.end()}`;
}
