/** Samples in several languages become tabs; the language chosen once is chosen on every page. Every sample can be copied. */
import { button, element } from './dom.ts';

const remembered = 'toledo.language';

export function setUpTabs(): void {
  for (const sample of document.querySelectorAll<HTMLElement>('[data-copy]')) sample.prepend(copyButton([sample]));
  const groups = [...document.querySelectorAll<HTMLElement>('[data-tabs]')].map((group) => makeTabs(group, choose));
  function choose(title: string): void {
    localStorage.setItem(remembered, title);
    for (const show of groups) show(title);
  }
  const title = localStorage.getItem(remembered) ?? 'curl';
  for (const show of groups) show(title);
}

let count = 0;

/** Returns how to show a tab by its title; a group without it shows its first. @param choose shows it in all groups */
function makeTabs(group: HTMLElement, choose: (title: string) => void): (title: string) => void {
  const panels = [...group.querySelectorAll<HTMLElement>('[data-tab]')];
  const tabs = panels.map((panel) => {
    const id = `tab-${++count}`;
    const title = panel.dataset.tab ?? '';
    panel.id = `${id}-panel`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', id);
    const tab = button({ id, role: 'tab', 'aria-controls': panel.id }, () => choose(title), title);
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
      next?.focus();
      choose(next?.textContent ?? '');
    });
    return tab;
  });
  const label = group.getAttribute('aria-label') ?? 'Samples';
  const list = element('div', { role: 'tablist', 'aria-label': label }, ...tabs);
  group.prepend(element('div', { class: 'tab-row' }, list, copyButton(panels)));
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

function copyButton(panels: readonly HTMLElement[]): HTMLButtonElement {
  const copy = async () => {
    const shown = panels.find((panel) => !panel.hidden);
    await navigator.clipboard.writeText(shown?.querySelector('code')?.textContent ?? '');
    made.textContent = 'Copied';
    setTimeout(() => {
      made.textContent = 'Copy';
    }, 1500);
  };
  const made = button({ class: 'copy' }, copy, 'Copy');
  return made;
}
