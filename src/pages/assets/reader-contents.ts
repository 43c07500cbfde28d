/** The list of chapters. */
import { button, byId, element } from './dom.ts';
import { type Chapters, name, type ReadingPlace } from './reader-chapters.ts';
import type { Book } from './reader-data.ts';
import { closeChapters } from './reader-settings.ts';

let shown: Chapters | undefined;

export function listChapters(book: Book, chapters: Chapters): void {
  if (!shown) keepPlaceBeside(byId('toggle-chapters'));
  shown = chapters;
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
      place = shown?.position();
    },
    { capture: true },
  );
  control.addEventListener('click', () => {
    if (place) shown?.holdAt(place);
    markCurrent();
  });
}

function markCurrent(): void {
  const at = shown?.position()?.chapter;
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
