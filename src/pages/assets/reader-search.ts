import { byId, element } from './dom.ts';
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
          const excerpt = element(
            'bdi',
            { lang: passage.side === 'source' ? book.source_lang : book.target_lang },
            passage.excerpt,
          );
          const go = element(
            'button',
            { type: 'button', class: 'plain' },
            element('small', {}, name(book, passage.chapter)),
            excerpt,
          );
          go.addEventListener('click', () => {
            uncoverBook();
            void chapters.goTo(passage.chapter, passage.block_id);
          });
          return element('li', {}, go);
        }),
      );
    } catch (error) {
      status.textContent = (error as Error).message;
    }
  });
}
