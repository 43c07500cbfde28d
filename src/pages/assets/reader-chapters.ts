/** Chapters come when they are about to be seen and go when they are far away, so the browser never holds the whole book. */
import { button, byId, element } from './dom.ts';
import { blockElement } from './reader-block.ts';
import { type Block, type Book, readChapter } from './reader-data.ts';
import { closeChapters } from './reader-settings.ts';

const maxLoaded = 12;

/** A paragraph, and where in the window it stands. */
export interface ReadingPlace {
  chapter: number;
  block: string;
  top: number;
}

/** Where the text of a chapter comes from, and whether there is one already. */
export interface ChapterTexts {
  read(index: number): Promise<Block[]>;
  isReady(index: number): boolean;
}

const finished: ChapterTexts = {
  read: async (index) => (await readChapter(index)).blocks,
  isReady: () => true,
};

export class Chapters {
  readonly blocks = new Map<string, Block>();
  readonly #book: Book;
  readonly #texts: ChapterTexts;
  readonly #places: HTMLElement[];
  readonly #observer: IntersectionObserver;
  readonly #loading = new Map<number, Promise<void>>();
  #loaded: number[] = [];

  constructor(book: Book, texts = finished) {
    this.#book = book;
    this.#texts = texts;
    this.#places = book.chapters.map((_chapter, index) =>
      element('section', { class: 'chapter', 'data-index': String(index), 'aria-label': name(book, index) }),
    );
    byId('book').replaceChildren(...this.#places);
    this.#observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries)
          if (entry.isIntersecting) void this.load(Number((entry.target as HTMLElement).dataset.index));
      },
      { rootMargin: '800px 0px' },
    );
    for (const index of this.#places.keys()) this.expect(index);
  }

  /** Keeps room for a chapter that can be read, and loads it when it comes into view. Others say that they are not ready. */
  expect(index: number): void {
    const place = this.#places[index];
    if (!place) return;
    if (!this.isReady(index)) {
      const title = element('bdi', { lang: this.#book.source_lang }, name(this.#book, index));
      place.replaceChildren(element('p', { class: 'waiting' }, title, ' is being translated.'));
      return;
    }
    // A guess that keeps the scroll bar steady; the real height replaces it.
    const characters = this.#book.chapters[index]?.characters ?? 0;
    place.style.minHeight = `${Math.max(60, Math.round(characters * 0.75))}px`;
    place.replaceChildren();
    this.#observer.observe(place);
  }

  isReady(index: number): boolean {
    return this.#texts.isReady(index);
  }

  load(index: number): Promise<void> {
    const known = this.#loading.get(index);
    if (known) return known;
    if (!this.isReady(index)) return Promise.resolve();
    const loading = this.#fill(index).catch(() => {
      this.#loading.delete(index);
      this.#offerAgain(index);
    });
    this.#loading.set(index, loading);
    return loading;
  }

  #offerAgain(index: number): void {
    const again = button({}, () => this.load(index), 'Try again');
    this.#places[index]?.replaceChildren(
      element('p', { class: 'waiting', role: 'alert' }, 'This chapter could not be loaded. ', again),
    );
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

  /** Shows a paragraph at the height of the window where it stood before. */
  async resume(place: ReadingPlace): Promise<void> {
    await this.goTo(place.chapter);
    this.holdAt(place);
  }

  /** The same for a paragraph that is loaded. */
  holdAt({ block, top }: ReadingPlace): void {
    const row = document.getElementById(block);
    if (row) scrollBy({ top: row.getBoundingClientRect().top - top, behavior: 'instant' });
  }

  /** The first paragraph in view. */
  position(): ReadingPlace | undefined {
    for (const index of [...this.#loaded].sort((a, b) => a - b)) {
      const place = this.#places[index];
      if (!place || place.getBoundingClientRect().bottom < 80) continue;
      for (const row of place.children) {
        const { top, bottom } = row.getBoundingClientRect();
        if (bottom > 80) return { chapter: index, block: row.id, top };
      }
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
    const blocks = await this.#texts.read(index);
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

/** The chapter, or the part of one, that a paragraph stands in. */
export function chapterOf({ chapters }: Book, block: string): number {
  const number = Number(block.slice(1));
  return Math.max(
    0,
    chapters.findLastIndex(({ first_block }) => first_block <= number),
  );
}

/** The link's address changes; the book is told apart by its name and length. */
const placeKey = (book: Book) =>
  `toledo.place.${book.file_name}.${book.chapters.reduce((sum, { characters }) => sum + characters, 0)}`;

export function rememberPlace(book: Book, chapters: Chapters): void {
  let timer = 0;
  const remember = () => {
    const place = chapters.position();
    if (place) localStorage.setItem(placeKey(book), JSON.stringify(place));
  };
  addEventListener(
    'scroll',
    () => {
      clearTimeout(timer);
      timer = setTimeout(remember, 250);
    },
    { passive: true },
  );
  // A reader who leaves right after scrolling comes back to the same place too.
  addEventListener('pagehide', remember);
}

export function rememberedPlace(book: Book): ReadingPlace | undefined {
  try {
    return JSON.parse(localStorage.getItem(placeKey(book)) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Those that the list names. */
let listed: Chapters | undefined;

export function listChapters(book: Book, chapters: Chapters): void {
  if (!listed) keepPlaceBeside(byId('toggle-chapters'));
  listed = chapters;
  byId('chapter-list').replaceChildren(
    ...book.chapters.flatMap((chapter, index) => {
      if (chapter.continued) return [];
      const goTo = () => {
        closeChapters();
        return chapters.goTo(index);
      };
      const title = element('bdi', {}, name(book, index));
      const go = button({ class: 'plain', 'data-chapter': String(index) }, goTo, title);
      if (chapter.title && chapter.translated_title && chapter.title !== chapter.translated_title)
        go.append(element('small', {}, element('bdi', { lang: book.source_lang }, chapter.title)));
      const bad = chapter.marks.split('f').length - 1;
      if (bad > 0) go.append(element('span', { class: 'tag bad' }, `${bad} not translated`));
      return [element('li', {}, go)];
    }),
  );
  markReady(chapters);
}

/** A chapter that is still being translated cannot be gone to. */
export function markReady(chapters: Chapters): void {
  for (const button of buttons()) button.disabled = !chapters.isReady(Number(button.dataset.chapter));
}

/** The list makes the columns of the book narrower: the paragraph that one reads stays where it stands. */
function keepPlaceBeside(control: HTMLElement): void {
  let place: ReadingPlace | undefined;
  control.addEventListener(
    'click',
    () => {
      place = listed?.position();
    },
    { capture: true },
  );
  control.addEventListener('click', () => {
    if (place) listed?.holdAt(place);
    markCurrent();
  });
}

function markCurrent(): void {
  const at = listed?.position()?.chapter;
  const all = buttons();
  const current = all.findLast((button) => Number(button.dataset.chapter) <= (at ?? -1));
  for (const button of all) button.removeAttribute('aria-current');
  if (!current) return;
  current.setAttribute('aria-current', 'true');
  // Not scrollIntoView: that would move the book too.
  const panel = byId('chapters');
  panel.scrollTop += current.getBoundingClientRect().top - panel.getBoundingClientRect().top - panel.clientHeight / 3;
}

function buttons(): HTMLButtonElement[] {
  return [...byId('chapter-list').querySelectorAll('button')];
}
