/** Search over guides, calls and objects. The index is fetched with the first key press and searched here. */
interface Entry {
  title: string;
  kind: string;
  url: string;
  text: string;
}

const shown = 12;

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
    list.replaceChildren(...(found.length > 0 ? found.map((entry, i) => resultItem(entry, words, i)) : [nothing()]));
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
  return entries
    .map((entry) => {
      const title = entry.title.toLowerCase();
      const text = `${title} ${entry.text.toLowerCase()}`;
      if (!words.every((word) => text.includes(word))) return { entry, score: 0 };
      const inTitle = words.filter((word) => title.includes(word)).length;
      return {
        entry,
        score: 1 + inTitle * 10 + (entry.kind === 'Call' ? 2 : 0) + (title.startsWith(words[0] ?? '') ? 5 : 0),
      };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, shown)
    .map(({ entry }) => entry);
}

function resultItem(entry: Entry, words: readonly string[], i: number): HTMLLIElement {
  const item = document.createElement('li');
  item.id = `result-${i}`;
  item.setAttribute('role', 'option');
  const link = document.createElement('a');
  link.href = entry.url;
  link.tabIndex = -1;
  link.textContent = entry.title;
  const kind = document.createElement('span');
  kind.className = 'kind';
  kind.textContent = entry.kind;
  const excerpt = document.createElement('span');
  excerpt.className = 'excerpt';
  const at = entry.text.toLowerCase().indexOf(words[0] ?? '');
  excerpt.textContent = entry.text.slice(Math.max(0, at - 30), Math.max(0, at - 30) + 110);
  item.append(link, kind, excerpt);
  return item;
}

function nothing(): HTMLLIElement {
  const item = document.createElement('li');
  item.setAttribute('role', 'option');
  item.setAttribute('aria-disabled', 'true');
  item.textContent = 'Nothing found';
  return item;
}
