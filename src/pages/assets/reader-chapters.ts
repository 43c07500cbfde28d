/** Chapters come when they are about to be seen and go when they are far away, so the browser never holds the whole book. */
import { byId, element } from './dom.ts';
import { blockElement } from './reader-block.ts';
import { type Block, type Book, readChapter } from './reader-data.ts';

const maxLoaded = 12;

export class Chapters {
  readonly blocks = new Map<string, Block>();
  readonly #book: Book;
  readonly #places: HTMLElement[];
  readonly #loading = new Map<number, Promise<void>>();
  #loaded: number[] = [];

  constructor(book: Book) {
    this.#book = book;
    this.#places = book.chapters.map((chapter, index) => {
      const place = element('section', {
        class: 'chapter',
        'data-index': String(index),
        'aria-label': name(book, index),
      });
      // A guess that keeps the scroll bar steady; the real height replaces it.
      place.style.minHeight = `${Math.max(60, Math.round(chapter.characters * 0.75))}px`;
      return place;
    });
    byId('book').replaceChildren(...this.#places);
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries)
          if (entry.isIntersecting) void this.load(Number((entry.target as HTMLElement).dataset.index));
      },
      { rootMargin: '800px 0px' },
    );
    for (const place of this.#places) observer.observe(place);
  }

  load(index: number): Promise<void> {
    const known = this.#loading.get(index);
    if (known) return known;
    const loading = this.#fill(index).catch(() => {
      this.#loading.delete(index);
    });
    this.#loading.set(index, loading);
    return loading;
  }

  async goTo(index: number, blockId?: string): Promise<void> {
    await this.load(index);
    // What lies around has to be there too, or filling it would move the place away.
    await Promise.all([index - 1, index + 1].filter((i) => this.#places[i]).map((i) => this.load(i)));
    const target = (blockId && document.getElementById(blockId)) || this.#places[index];
    target?.scrollIntoView({ block: blockId ? 'center' : 'start', behavior: 'instant' });
    if (!blockId || !target) return;
    target.classList.add('found');
    setTimeout(() => target.classList.remove('found'), 2500);
  }

  /** The first paragraph in view. */
  position(): { chapter: number; block: string } | undefined {
    for (const index of [...this.#loaded].sort((a, b) => a - b)) {
      const place = this.#places[index];
      if (!place || place.getBoundingClientRect().bottom < 80) continue;
      for (const row of place.children)
        if (row.getBoundingClientRect().bottom > 80) return { chapter: index, block: row.id };
    }
    return undefined;
  }

  /** Shows what has changed on the server. */
  async reload(): Promise<void> {
    for (const index of [...this.#loaded]) await this.#fill(index);
  }

  async #fill(index: number): Promise<void> {
    const place = this.#places[index];
    if (!place) return;
    const { blocks } = await readChapter(index);
    for (const block of blocks) this.blocks.set(block.id, block);
    // A paragraph that somebody is writing in stays as it is.
    const edited = place.querySelector('.editor')?.closest('.block');
    place.replaceChildren(
      ...blocks.map((block) => (edited?.id === block.id ? edited : blockElement(block, this.#book))),
    );
    place.style.minHeight = '';
    this.#loaded = [...this.#loaded.filter((other) => other !== index), index];
    this.#unloadFarAway(index);
  }

  #unloadFarAway(current: number): void {
    while (this.#loaded.length > maxLoaded) {
      const far = this.#loaded.reduce((a, b) => (Math.abs(b - current) > Math.abs(a - current) ? b : a));
      const place = this.#places[far];
      // Never what is being looked at or edited.
      if (!place || place.contains(document.activeElement) || Math.abs(far - current) < 4) return;
      place.style.minHeight = `${place.offsetHeight}px`;
      for (const row of place.children) this.blocks.delete(row.id);
      place.replaceChildren();
      this.#loading.delete(far);
      this.#loaded = this.#loaded.filter((index) => index !== far);
    }
  }
}

export function name(book: Book, index: number): string {
  const { chapters } = book;
  let start = index;
  while (start > 0 && chapters[start]?.continued) start--;
  const chapter = chapters[start];
  return chapter?.translated_title ?? chapter?.title ?? `Part ${start + 1}`;
}
