/** What a reader chose, remembered in this browser: text size, and one column or two. And the panels and keys. */
import { byId } from './dom.ts';

const sizes = [0.85, 0.95, 1.05, 1.2, 1.4, 1.7];

export function setUpSettings(): void {
  measure('bar', '--bar');
  measure('foot-bar', '--foot');
  let size = Number(localStorage.getItem('toledo.size') ?? 2);
  const resize = (step: number) => {
    size = Math.max(0, Math.min(sizes.length - 1, size + step));
    localStorage.setItem('toledo.size', String(size));
    document.documentElement.style.setProperty('--text-size', `${sizes[size]}rem`);
  };
  byId('smaller').addEventListener('click', () => resize(-1));
  byId('larger').addEventListener('click', () => resize(1));
  resize(0);
  toggle('toggle-source', 'single', 'toledo.single');
  panel('toggle-chapters', 'chapters', 'search-panel');
  panel('toggle-search', 'search-panel', 'chapters', 'query');
  onKey('c', () => byId('toggle-chapters').click());
  onKey('/', () => byId('toggle-search').click());
  onKey('?', () => byId('keys').togglePopover());
}

function measure(id: string, variable: string): void {
  const own = byId(id);
  const { style } = document.documentElement;
  new ResizeObserver(() => style.setProperty(variable, `${own.offsetHeight}px`)).observe(own);
}

/** A reader who has chosen a chapter wants to read it. */
export function closeChapters(): void {
  if (!byId('chapters').hidden) byId('toggle-chapters').click();
}

/** On a narrow window a panel covers the book: a reader who has chosen a place wants to see it. */
export function uncoverBook(): void {
  if (!matchMedia('(max-width: 46rem)').matches) return;
  for (const button of ['toggle-chapters', 'toggle-search'])
    if (byId(button).getAttribute('aria-expanded') === 'true') byId(button).click();
}

export function offerVertical(): void {
  byId('toggle-vertical').hidden = false;
  toggle('toggle-vertical', 'vertical', 'toledo.vertical');
}

function toggle(button: string, className: string, key: string): void {
  const control = byId(button);
  const apply = (on: boolean) => {
    document.body.classList.toggle(className, on);
    control.setAttribute('aria-pressed', String(on));
    localStorage.setItem(key, on ? '1' : '');
  };
  control.addEventListener('click', () => apply(!document.body.classList.contains(className)));
  apply(localStorage.getItem(key) === '1');
}

function panel(button: string, id: string, other: string, focus?: string): void {
  const [control, own] = [byId(button), byId(id)];
  const show = (on: boolean) => {
    own.hidden = !on;
    control.setAttribute('aria-expanded', String(on));
    if (on) {
      if (!byId(other).hidden) byId(other === 'chapters' ? 'toggle-chapters' : 'toggle-search').click();
      if (focus) byId(focus).focus();
    }
  };
  control.addEventListener('click', () => show(own.hidden !== false));
  // From the button too: a reader who opened the chapters with it has not moved yet.
  for (const place of [own, control])
    place.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || own.hidden) return;
      show(false);
      control.focus();
    });
}

/** Single keys, as long as nobody is typing. */
const actions = new Map<string, () => void>();

export function onKey(key: string, action: () => void): void {
  if (actions.size === 0) document.addEventListener('keydown', press);
  actions.set(key, action);
}

function press(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const typing = (event.target as Element).closest?.('input, textarea, select, [contenteditable="true"]');
  const action = typing ? undefined : actions.get(event.key);
  if (!action) return;
  event.preventDefault();
  action();
}
