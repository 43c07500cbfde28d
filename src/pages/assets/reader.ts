/** The reader: opens the book of the link, or shows how far it is. */
import { byId, element } from './dom.ts';
import { Chapters, name } from './reader-chapters.ts';
import { type Book, readBook, type WaitingBook } from './reader-data.ts';
import { setUpEditing } from './reader-edit.ts';
import { showReadyChapters } from './reader-live.ts';
import { setUpSearch } from './reader-search.ts';
import { rememberedPlace, rememberPlace, setUpSettings } from './reader-settings.ts';
import { setUpStrip } from './reader-strip.ts';
import { setUpTerms } from './reader-terms.ts';

const pollMs = 3_000;
const progress = byId('progress');

await start();

async function start(): Promise<void> {
  try {
    const book = await readBook();
    byId('book-title').textContent = book.file_name;
    if (!('chapters' in book)) {
      showProgress(book);
      await showReadyChapters(book);
      setTimeout(() => void start(), pollMs);
      return;
    }
    progress.hidden = true;
    open(book);
  } catch (error) {
    byId('book-head').replaceChildren(element('p', { class: 'message', role: 'alert' }, (error as Error).message));
  }
}

const stages: Record<string, string> = {
  queued: 'Waiting for its turn',
  preparing: 'Reading the book',
  translating: 'Translating',
  finalizing: 'Writing the book',
};

function showProgress({ stage, progress: share }: WaitingBook): void {
  progress.hidden = false;
  progress.textContent = `${stages[stage] ?? stage}: ${Math.floor(share * 100)} %`;
  progress.style.setProperty('--share', String(share));
  byId('book-head').replaceChildren(
    element(
      'div',
      { class: 'message' },
      element('h1', {}, 'The book is being translated'),
      element('p', { class: 'muted' }, 'It opens here by itself when it is ready.'),
    ),
  );
}

function open(book: Book): void {
  const title = book.title ?? book.file_name;
  document.title = `${title} · Toledo`;
  byId('book-title').textContent = title;
  byId('book-head').replaceChildren(
    element('h1', {}, element('bdi', {}, title)),
    element(
      'p',
      { class: 'muted' },
      [book.author, `${book.source_lang} → ${book.target_lang}`].filter(Boolean).join(' · '),
    ),
  );
  setUpSettings(book);
  const chapters = new Chapters(book);
  listChapters(book, chapters);
  setUpSearch(book, chapters);
  const strip = setUpStrip(book, chapters);
  const refresh = async () => {
    const fresh = await readBook();
    if ('chapters' in fresh) book.chapters.splice(0, book.chapters.length, ...fresh.chapters);
    strip.draw();
  };
  setUpTerms(book, chapters, async (changed) => {
    if (changed > 0) await Promise.all([chapters.reload(), refresh()]);
  });
  if (book.editable) setUpEditing(book, chapters, refresh);
  const place = rememberedPlace(book);
  const opened = place ? chapters.goTo(place.chapter, place.block) : chapters.load(0);
  void opened.then(() => {
    document.body.dataset.ready = '';
    rememberPlace(book, chapters);
  });
}

function listChapters(book: Book, chapters: Chapters): void {
  byId('chapter-list').replaceChildren(
    ...book.chapters.flatMap((chapter, index) => {
      if (chapter.continued) return [];
      const go = element('button', { type: 'button', class: 'plain' }, element('bdi', {}, name(book, index)));
      if (chapter.title && chapter.translated_title && chapter.title !== chapter.translated_title)
        go.append(element('small', {}, element('bdi', { lang: book.source_lang }, chapter.title)));
      const bad = chapter.marks.split('f').length - 1;
      if (bad > 0) go.append(element('span', { class: 'tag bad' }, `${bad} not translated`));
      go.addEventListener('click', () => void chapters.goTo(index));
      return [element('li', {}, go)];
    }),
  );
}
