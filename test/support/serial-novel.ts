/** A novel that grows by chapters, as EPUB: headings, paragraphs with names and emphasis, and short lines that repeat. */
import { smallEpub } from '../documents/small-epub.ts';

export const novelNames = ['Corwin Hale', 'Brenna Moss', 'Iron Gate', 'Salt Harbour'];

export interface SerialNovel {
  /** Paragraphs of each chapter; the first is its heading. */
  chapters: string[][];
}

export function serialNovel(chapters: number, paragraphsPerChapter = 5): SerialNovel {
  return { chapters: Array.from({ length: chapters }, (_, i) => chapterOf(i + 1, paragraphsPerChapter)) };
}

function chapterOf(number: number, paragraphs: number): string[] {
  const lines = Array.from({ length: paragraphs }, (_, i) => {
    const name = novelNames[(number + i) % novelNames.length];
    const count = (number * 7919 + i * 104_729) % 9973;
    return i % 4 === 3
      ? '“Yes.”'
      : `On evening ${number}.${i} they spoke of ${name} again, counted <em>${count} sails</em> and wrote down that nobody had come home.`;
  });
  return [`Chapter ${number}`, ...lines];
}

export function epubOf({ chapters }: SerialNovel): { content: Uint8Array<ArrayBuffer>; fileName: string } {
  const pages = chapters.map(([heading, ...lines], i): [string, string] => [
    `c${String(i + 1).padStart(3, '0')}.xhtml`,
    `<h1>${heading}</h1>${lines.map((line) => `<p>${line}</p>`).join('')}`,
  ]);
  return { content: Uint8Array.from(smallEpub({ pages: Object.fromEntries(pages) })), fileName: 'serial.epub' };
}

/** As the service counts them: without markup. */
export function charactersOf(paragraphs: readonly string[]): number {
  return paragraphs.reduce((sum, text) => sum + [...text.replace(/<\/?em>/g, '')].length, 0);
}
