/** Samples in several languages become tabs; the language chosen once is chosen on every page. Every sample can be copied. */
const remembered = 'toledo.language';

export function setUpTabs(): void {
  for (const sample of document.querySelectorAll<HTMLElement>('[data-copy]')) sample.prepend(copyButton([sample]));
  const groups = [...document.querySelectorAll<HTMLElement>('[data-tabs]')].map(makeTabs);
  const choose = (title: string) => {
    for (const group of groups) group(title);
  };
  document.addEventListener('toledo:language', (event) => {
    const title = (event as CustomEvent<string>).detail;
    localStorage.setItem(remembered, title);
    choose(title);
  });
  choose(localStorage.getItem(remembered) ?? 'curl');
}

let count = 0;

/** Returns how to choose a tab by its title; a group without it shows its first. */
function makeTabs(group: HTMLElement): (title: string) => void {
  const panels = [...group.querySelectorAll<HTMLElement>('[data-tab]')];
  const row = document.createElement('div');
  row.className = 'tab-row';
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', group.getAttribute('aria-label') ?? 'Samples');
  row.append(list);
  const tabs = panels.map((panel) => {
    const id = `tab-${++count}`;
    const tab = document.createElement('button');
    Object.assign(tab, { type: 'button', id, textContent: panel.dataset.tab ?? '' });
    tab.setAttribute('role', 'tab');
    panel.id = `${id}-panel`;
    tab.setAttribute('aria-controls', panel.id);
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', id);
    tab.addEventListener('click', () => announce(panel.dataset.tab ?? ''));
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
      next?.focus();
      announce(next?.textContent ?? '');
    });
    list.append(tab);
    return tab;
  });
  row.append(copyButton(panels));
  group.prepend(row);
  group.dataset.ready = '';
  return (title) => {
    const chosen = Math.max(
      0,
      panels.findIndex((panel) => panel.dataset.tab === title),
    );
    for (const [i, panel] of panels.entries()) {
      panel.hidden = i !== chosen;
      tabs[i]?.setAttribute('aria-selected', String(i === chosen));
      if (tabs[i]) tabs[i].tabIndex = i === chosen ? 0 : -1;
    }
  };
}

function announce(title: string): void {
  document.dispatchEvent(new CustomEvent('toledo:language', { detail: title }));
}

function copyButton(panels: readonly HTMLElement[]): HTMLButtonElement {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'copy', textContent: 'Copy' });
  button.addEventListener('click', async () => {
    const shown = panels.find((panel) => !panel.hidden);
    await navigator.clipboard.writeText(shown?.querySelector('code')?.textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  return button;
}
