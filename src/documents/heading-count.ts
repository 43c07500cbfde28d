import { sourceFault } from './source-faults.ts';

/** Every heading may begin a chapter, and each chapter is a row, an event and a page of its own. */
const maxHeadings = 50_000;

/** Refuses what has more headings than any book, as soon as that is known. */
export class HeadingCount {
  #count = 0;

  /** @throws BAD_REQUEST TOO_MANY_HEADINGS */
  add(): void {
    if (++this.#count > maxHeadings) throw sourceFault('TOO_MANY_HEADINGS');
  }
}
