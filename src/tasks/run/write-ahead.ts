import type { BookWriting, Translations } from '../../documents/document.ts';
import type { ReadingPack } from '../reading/pack-reading.ts';

type TextsSoFar = Pick<Translations, 'get'>;

/**
 * Writes a book, and packs it for the reader, while the rest of it is being translated: a page at a time, and answers of engines that have
 * arrived come first. What goes wrong here goes wrong again when the book is finished, and is told there.
 */
export class WriteAhead {
  readonly #begin: () => BookWriting;
  /** From when its terms are known. */
  reading: ReadingPack | undefined;
  #writing: BookWriting | undefined;
  #texts: TextsSoFar | undefined;
  #isDue = false;
  #isOver = false;

  constructor(begin: () => BookWriting) {
    this.#begin = begin;
  }

  /** There are more texts than before. */
  more(texts: TextsSoFar): void {
    this.#texts = texts;
    if (this.#isDue || this.#isOver) return;
    this.#isDue = true;
    setImmediate(() => this.#writePage());
  }

  stop(): void {
    this.#isOver = true;
  }

  /** What there is of it, to be finished. */
  writing(): BookWriting {
    return this.#writing ?? this.#begin();
  }

  #writePage(): void {
    this.#isDue = false;
    if (this.#isOver || this.#texts === undefined) return;
    try {
      this.#writing ??= this.#begin();
      const isWritten = this.#writing.writeAhead(this.#texts);
      const isPacked = this.reading?.packAhead(this.#texts) === true;
      if (isWritten || isPacked) this.more(this.#texts);
    } catch {
      this.#isOver = true;
    }
  }
}
