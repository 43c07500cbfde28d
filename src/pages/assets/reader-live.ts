/** A book that is still being translated: its chapters open as they become ready. For reading only, since it may change until the end. */
import { Chapters, listChapters, markReady, type ReadingPlace } from './reader-chapters.ts';
import { type Block, type Book, type LiveChapter, readLiveChapter, type WaitingBook } from './reader-data.ts';

export class LiveBook {
  #chapters: Chapters | undefined;
  #live: readonly LiveChapter[] = [];

  update(waiting: WaitingBook): void {
    const before = this.#live;
    this.#live = waiting.live ?? [];
    if (this.#live.length === 0) return;
    if (!this.#chapters || before.length !== this.#live.length) {
      const book = bookOf(waiting, this.#live);
      this.#chapters = new Chapters(book, {
        read: async (index) => await blocksOf(this.#live[index]?.index ?? 0),
        isReady: (index) => this.#live[index]?.ready === true,
      });
      listChapters(book, this.#chapters);
      return;
    }
    for (const [index, { ready }] of this.#live.entries())
      if (ready && !before[index]?.ready) this.#chapters.expect(index);
    markReady(this.#chapters);
  }

  /** What is being read; undefined at the beginning of the book. */
  place(): ReadingPlace | undefined {
    return scrollY > 100 ? this.#chapters?.position() : undefined;
  }
}

function bookOf(waiting: WaitingBook, live: readonly LiveChapter[]): Book {
  const chapters = live.map(({ title, translated_title, characters }) => ({
    title,
    translated_title,
    characters,
    continued: false,
    first_block: 0,
    marks: '',
  }));
  const unknown = { title: null, author: null, vertical: false, terms: [], review: [], sheet: [] };
  return { ...waiting, ...unknown, editable: false, chapters };
}

async function blocksOf(index: number): Promise<Block[]> {
  const { blocks } = await readLiveChapter(index);
  return blocks.map((block) => ({
    ...block,
    state: 'translated',
    notes: [],
    terms: [],
    corrected: false,
    approved: false,
  }));
}
