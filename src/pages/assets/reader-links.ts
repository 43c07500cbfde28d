/** Addresses of single paragraphs: `#b12` behind the link of the book. */
import { type Chapters, chapterOf } from './reader-chapters.ts';
import type { Book } from './reader-data.ts';

export function linkedParagraph(): string | undefined {
  return /^#(b\d{1,9})$/.exec(location.hash)?.[1];
}

export function setUpLinks(book: Book, chapters: Chapters): void {
  addEventListener('hashchange', () => {
    const id = linkedParagraph();
    if (id !== undefined) void chapters.goTo(chapterOf(book, id), id);
  });
}
