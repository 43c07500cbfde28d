/** The reader: opens the book of the link, or shows how far it is and the chapters that are ready. */
import { byId, element } from './dom.ts';
import {
  Chapters,
  chapterOf,
  listChapters,
  type ReadingPlace,
  rememberedPlace,
  rememberPlace,
} from './reader-chapters.ts';
import { type Book, isPassing, patience, Refusal, readBook, type WaitingBook } from './reader-data.ts';
import { setUpEditing } from './reader-edit.ts';
import { setUpFiles } from './reader-files.ts';
import { LiveBook } from './reader-live.ts';
import { setUpReview } from './reader-review.ts';
import { setUpSearch } from './reader-search.ts';
import { offerVertical, setUpSettings } from './reader-settings.ts';
import { setUpStrip } from './reader-strip.ts';
import { setUpTerms } from './reader-terms.ts';

const pollMs = 3_000;
const progress = byId('progress');
const live = new LiveBook();

patience.tell = (seconds) => {
  progress.hidden = seconds === undefined;
  if (seconds !== undefined) progress.textContent = `Much was asked for in a short time. Going on in ${seconds} s.`;
};
setUpSettings();

async function start(): Promise<void> {
  try {
    const book = await readBook();
    if ('chapters' in book) return open(book);
    showProgress(book);
    live.update(book);
  } catch (error) {
    if (error instanceof Refusal && !isPassing(error)) return giveUp(error.message);
    if (!isPassing(error)) return giveUp(`This page has a fault of its own: ${(error as Error).message}`);
    progress.hidden = false;
    progress.textContent = 'The service does not answer. Trying again…';
  }
  setTimeout(() => void start(), pollMs);
}

const stages: Record<string, string> = {
  queued: 'Waiting for its turn',
  preparing: 'Reading the book',
  translating: 'Translating',
  finalizing: 'Writing the book',
};

function showProgress({ stage, progress: share, file_name, live: chapters = [] }: WaitingBook): void {
  byId('book-title').textContent = file_name;
  byId('toggle-search').hidden = true;
  const ready = chapters.filter((chapter) => chapter.ready).length;
  const read = ready > 0 ? ` · ${ready} of ${chapters.length} chapters can be read` : '';
  progress.hidden = false;
  progress.textContent = `${stages[stage] ?? stage}: ${Math.floor(share * 100)} %${read}`;
  progress.style.setProperty('--share', String(share));
  if (byId('book-head').childElementCount > 0) return;
  byId('book-head').replaceChildren(
    element(
      'div',
      { class: 'message' },
      element('h1', {}, 'The book is being translated'),
      element('p', { class: 'muted' }, 'Chapters appear here as they become ready.'),
    ),
  );
}

/** There is no book, and there will be none. */
function giveUp(message: string): void {
  progress.hidden = true;
  byId('book').replaceChildren();
  byId('book-head').replaceChildren(element('p', { class: 'message', role: 'alert' }, message));
}

function open(book: Book): void {
  const place = live.place();
  const title = book.title ?? book.file_name;
  progress.hidden = true;
  byId('toggle-search').hidden = false;
  document.title = `${title} · Toledo`;
  byId('book-title').textContent = title;
  const languages = `${languageName(book.source_lang)} → ${languageName(book.target_lang)}`;
  byId('book-head').replaceChildren(
    element('h1', {}, element('bdi', {}, title)),
    element('p', { class: 'muted' }, [book.author, languages].filter(Boolean).join(' · ')),
  );
  showQuality(book.quality);
  if (book.sheet.length > 0) byId('book-head').append(sheetPanel(book.sheet));
  if (book.vertical) offerVertical();
  document.body.classList.toggle('editing', book.editable);
  const chapters = new Chapters(book);
  listChapters(book, chapters);
  setUpSearch(book, chapters);
  const drawStrip = setUpStrip(book, chapters);
  const refresh = async () => {
    const fresh = await readBook();
    if ('chapters' in fresh) book.chapters.splice(0, book.chapters.length, ...fresh.chapters);
    drawStrip();
    drawReview();
  };
  setUpTerms(book, chapters, async (changed) => {
    if (changed > 0) await Promise.all([chapters.reload(), refresh()]);
  });
  const saveOpen = book.editable ? setUpEditing(book, chapters, refresh) : async () => true;
  setUpFiles(saveOpen);
  const drawReview = setUpReview(book, { chapters, saveOpen, onChanged: refresh });
  setUpLinks(book, chapters);
  void goToPlace(book, chapters, place).then(() => {
    document.body.dataset.ready = '';
    rememberPlace(book, chapters);
  });
}

/** Nobody should take a draft for more than it is. */
function showQuality(quality: string | null): void {
  const tag = byId('quality');
  tag.hidden = quality === null || quality === 'standard';
  if (tag.hidden || quality === null) return;
  tag.textContent = quality.charAt(0).toUpperCase() + quality.slice(1);
  tag.className = `tag ${qualityClasses[quality] ?? ''}`;
  const meaning = qualities[quality];
  if (meaning !== undefined) byId('book-head').append(element('p', { class: 'small muted' }, meaning));
}

const qualityClasses: Record<string, string> = { draft: 'warn', refined: 'good', sandbox: 'info' };
const qualities: Record<string, string> = {
  draft: 'A draft by the engine that comes with the service: read it beside the source before you use it.',
  refined: 'Translated, then edited by a second engine.',
  sandbox: 'Made with a test key: invented words, no translation.',
};

/** In English, as the page is; a tag that nobody knows stays as it is. */
function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag.replace(/-x-.*$/i, '')) ?? tag;
  } catch {
    return tag;
  }
}

/** What was settled before the first page. Text of a model or of the partner, so it is never markup. */
function sheetPanel(lines: readonly string[]): HTMLElement {
  const rows = lines.flatMap((line) => {
    const at = line.indexOf(': ');
    return [element('dt', {}, line.slice(0, at)), element('dd', {}, element('bdi', {}, line.slice(at + 2)))];
  });
  return element(
    'details',
    { class: 'sheet' },
    element('summary', {}, 'How this book is translated'),
    element('dl', {}, ...rows),
  );
}

/** Addresses of single paragraphs: `#b12` behind the link of the book. */
function linkedParagraph(): string | undefined {
  return /^#(b\d{1,9})$/.exec(location.hash)?.[1];
}

function setUpLinks(book: Book, chapters: Chapters): void {
  addEventListener('hashchange', () => {
    const id = linkedParagraph();
    if (id !== undefined) void chapters.goTo(chapterOf(book, id), id);
  });
}

/** The paragraph of the address, where somebody is reading while the book is finished, where they stopped the last time, or the beginning. */
async function goToPlace(book: Book, chapters: Chapters, read: ReadingPlace | undefined): Promise<void> {
  const linked = linkedParagraph();
  if (linked !== undefined && read === undefined) return await chapters.goTo(chapterOf(book, linked), linked);
  const place = read ? { ...read, chapter: chapterOf(book, read.block) } : rememberedPlace(book);
  return place ? await chapters.resume(place) : await chapters.load(0);
}

// Last, when everything above is there.
await start();
