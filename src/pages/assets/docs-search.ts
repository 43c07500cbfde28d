/** Search over guides, calls and objects. The index is fetched with the first key press and searched here. */
import { element } from './dom.ts';

interface Entry {
  title: string;
  kind: string;
  url: string;
  text: string;
}

const shown = 12;

const nothingFound = element('li', { role: 'option', 'aria-disabled': 'true' }, 'Nothing found');

export function setUpSearch(): void {
  const input = document.querySelector<HTMLInputElement>('#search');
  const list = document.querySelector<HTMLUListElement>('#search-results');
  if (!input || !list) return;
  let index: Promise<Entry[]> | undefined;
  let selected = -1;

  const select = (next: number) => {
    selected = next;
    for (const [i, item] of [...list.children].entries()) {
      item.setAttribute('aria-selected', String(i === next));
      if (i === next) {
        input.setAttribute('aria-activedescendant', item.id);
        item.scrollIntoView({ block: 'nearest' });
      }
    }
    if (next < 0) input.removeAttribute('aria-activedescendant');
  };
  const close = () => {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    select(-1);
  };
  const show = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return close();
    index ??= fetch('/docs/search.json').then((answer) => answer.json());
    const found = best(await index, words);
    list.replaceChildren(...(found.length > 0 ? found.map((entry, i) => resultItem(entry, words, i)) : [nothingFound]));
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    select(found.length > 0 ? 0 : -1);
  };
  input.addEventListener('input', () => void show());
  input.addEventListener('keydown', (event) => {
    const items = [...list.children];
    if (event.key === 'ArrowDown') select(Math.min(selected + 1, items.length - 1));
    else if (event.key === 'ArrowUp') select(Math.max(selected - 1, 0));
    else if (event.key === 'Enter') items[selected]?.querySelector('a')?.click();
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  });
  list.addEventListener('click', (event) => {
    const item = (event.target as Element).closest('li');
    if (item && !(event.target as Element).closest('a')) item.querySelector('a')?.click();
  });
  document.addEventListener('click', (event) => {
    if (!(event.target as Element).closest('.search')) close();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || (event.target as Element).closest('input, textarea, select')) return;
    event.preventDefault();
    input.focus();
  });
}

/** Every word must occur; words in the title count most, calls before guides. */
function best(entries: readonly Entry[], words: readonly string[]): Entry[] {
  const score = ({ title, kind }: Entry) => {
    const name = title.toLowerCase();
    const inTitle = words.filter((word) => name.includes(word)).length;
    return inTitle * 10 + (kind === 'Call' ? 2 : 0) + (name.startsWith(words[0] ?? '') ? 5 : 0);
  };
  return entries
    .filter(({ title, text }) => {
      const all = `${title} ${text}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .sort((a, b) => score(b) - score(a))
    .slice(0, shown);
}

function resultItem({ title, kind, url, text }: Entry, words: readonly string[], i: number): HTMLLIElement {
  const from = Math.max(0, text.toLowerCase().indexOf(words[0] ?? '') - 30);
  return element(
    'li',
    { id: `result-${i}`, role: 'option' },
    element('a', { href: url, tabindex: '-1' }, title),
    element('span', { class: 'kind' }, kind),
    element('span', { class: 'excerpt' }, text.slice(from, from + 110)),
  );
}
