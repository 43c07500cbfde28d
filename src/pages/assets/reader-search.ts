import { button, byId, element } from './dom.ts';
import { type Chapters, name } from './reader-chapters.ts';
import { type Book, findPassages } from './reader-data.ts';
import { uncoverBook } from './reader-settings.ts';

export function setUpSearch(book: Book, chapters: Chapters): void {
  const query = byId<HTMLInputElement>('query');
  const status = byId('search-status');
  const list = byId('found');
  byId('search-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const wanted = query.value.trim();
    if (wanted === '') return;
    status.textContent = 'Searching…';
    try {
      const { found, more } = await findPassages(wanted);
      status.textContent = found.length === 0 ? 'Nothing found.' : `${found.length}${more ? ' or more' : ''} places`;
      list.replaceChildren(
        ...found.map((passage) => {
          const lang = passage.side === 'source' ? book.source_lang : book.target_lang;
          const chapter = element('small', {}, name(book, passage.chapter));
          const goTo = () => {
            uncoverBook();
            return chapters.goTo(passage.chapter, passage.block_id);
          };
          const excerpt = element('bdi', { lang }, passage.excerpt);
          return element('li', {}, button({ class: 'plain' }, goTo, chapter, excerpt));
        }),
      );
    } catch (error) {
      status.textContent = (error as Error).message;
    }
  });
}
