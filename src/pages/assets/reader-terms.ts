/** The card of a name or term: its entry, its other forms, every place, and with an editable link a fix everywhere. */
import { button, byId, element } from './dom.ts';
import { type Chapters, name } from './reader-chapters.ts';
import { type Book, readPlaces, sendTermFix } from './reader-data.ts';

export function setUpTerms(book: Book, chapters: Chapters, onChanged: (changed: number) => Promise<void>): void {
  const card = byId('term-card');
  const onClick = (event: Event) => {
    const word = (event.target as Element).closest<HTMLElement>('.term');
    if (!word) return;
    event.stopPropagation();
    void open(word);
  };
  document.addEventListener('click', onClick, { capture: true });

  const open = async (word: HTMLElement) => {
    const index = Number(word.dataset.term);
    const term = book.terms[index];
    if (!term) return;
    const places = element('ol', { class: 'places' });
    const forms =
      term.aliases.length > 0 ? [element('dt', {}, 'Also'), element('dd', {}, term.aliases.join(', '))] : [];
    const close = button({ class: 'plain close', 'aria-label': 'Close' }, () => card.hidePopover(), '×');
    card.replaceChildren(
      element('header', {}, element('h2', {}, element('bdi', { lang: book.source_lang }, term.source)), close),
      element(
        'dl',
        {},
        element('dt', {}, 'Translation'),
        element('dd', {}, element('bdi', { lang: book.target_lang, class: 'strong' }, term.target)),
        element('dt', {}, 'Kind'),
        element('dd', {}, [term.type, term.gender === 'unknown' ? '' : term.gender].filter(Boolean).join(', ')),
        ...forms,
        ...(term.note ? [element('dt', {}, 'Note'), element('dd', {}, term.note)] : []),
      ),
      ...(book.editable ? [fixForm(index)] : []),
      element('h3', {}, `${term.occurrences.toLocaleString('en')} occurrences`),
      places,
    );
    card.showPopover();
    placeBeside(card, word);
    close.focus();
    const { places: all } = await readPlaces(index).catch(() => ({ places: [] }));
    places.replaceChildren(
      ...all.map((place) => {
        const goTo = () => {
          card.hidePopover();
          return chapters.goTo(place.chapter, place.block_id);
        };
        const title = `${name(book, place.chapter)} · ¶ ${place.block_id.slice(1)}`;
        return element('li', {}, button({ class: 'plain' }, goTo, title));
      }),
    );
    placeBeside(card, word);
  };

  const fixForm = (index: number): HTMLElement => {
    const term = book.terms[index];
    const input = element('input', { id: 'term-fix', value: term?.target ?? '', maxlength: '500', required: '' });
    const status = element('p', { role: 'status', class: 'small' });
    const form = element(
      'form',
      { class: 'fix' },
      element('label', { for: 'term-fix' }, 'Say it differently, everywhere'),
      element('div', { class: 'row' }, input, element('button', { type: 'submit' }, 'Replace')),
      status,
    );
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (!term || input.value === term.target) return;
      try {
        const { changed } = await sendTermFix({ source: term.source, from: term.target, to: input.value });
        status.textContent =
          changed === 1 ? 'One paragraph changed.' : `${changed.toLocaleString('en')} paragraphs changed.`;
        term.target = input.value;
        await onChanged(changed);
      } catch (error) {
        status.textContent = (error as Error).message;
      }
    });
    return form;
  };
}

/** Below the word, else above it, else as low as it can be seen whole. */
function placeBeside(card: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = card;
  const [below, above, lowest] = [at.bottom + 6, at.top - height - 6, innerHeight - height - 8];
  card.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
  card.style.top = `${below <= lowest ? below : Math.max(8, above >= 8 ? above : lowest)}px`;
}
