/** What the console and the partner's pages do besides showing: renew themselves, copy, keep a change from being made twice. */

// In a narrow window the sections are one line that scrolls: the current one is to be seen.
const current = document.querySelector<HTMLElement>('nav.side [aria-current]');
current?.parentElement?.scrollTo({ left: current.offsetLeft - innerWidth / 2 + current.offsetWidth / 2 });

/** Changes what is inside an element; the keyboard stays on the control where it was. */
function renew(place: HTMLElement, change: () => void): void {
  const held = place.contains(document.activeElement) ? document.activeElement : null;
  change();
  if (held === null || held.isConnected) return;
  const name = nameOf(held);
  const same = [...place.querySelectorAll<HTMLElement>(held.localName)].find((each) => nameOf(each) === name);
  same?.focus({ preventScroll: true });
}

/** What a control is, and in which row: rows come, go and change while one looks at them. */
function nameOf(control: Element): string {
  const row = control.closest('tr')?.querySelector('a')?.getAttribute('href');
  return [row, ...['href', 'name', 'value'].map((name) => control.getAttribute(name))].join(' ');
}

// A part that changes is fetched again while somebody looks: a partner's rarely, since each time costs requests of the key.
const place = document.getElementById('live');
const { live: address, renew: renewSeconds = address && '2' } = place?.dataset ?? {};
if (place && renewSeconds !== undefined) {
  const status = document.createElement('p');
  const tell = (text: string): void => {
    status.textContent = text;
    status.className = `live-state muted small ${text === 'live' ? 'on' : ''}`;
  };
  if (address !== undefined) place.before(status);
  tell('live');
  const fetchAgain = async (): Promise<void> => {
    if (document.hidden) return later();
    const answer = await fetch(address ?? location.href).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    const page = new DOMParser().parseFromString(text ?? '', 'text/html');
    // A full minute is kept from programs no longer than it must be. What a proxy answers while we start anew is no page of ours.
    if (answer === undefined || !page.getElementById('main') || answer.status === 429 || answer.status >= 500) {
      tell('not live: waiting for the service');
      return later();
    }
    const fresh = page.getElementById('live');
    if (fresh) {
      tell('live');
      // Untouched while nothing changes, so that a selection inside it stays.
      if (place.innerHTML !== fresh.innerHTML && place.querySelector('input:checked') === null)
        renew(place, () => place.replaceChildren(...fresh.childNodes));
      if (fresh.dataset.live !== undefined || fresh.dataset.renew !== undefined) return later();
    }
    // A reload would close the form that somebody has open, or break off the change that is on its way and hide its answer.
    if (document.querySelector('details[open] form, form[data-sent]') === null) return location.reload();
    tell('ended: reload the page to see what can be done now');
  };
  const later = (): void => void setTimeout(() => void fetchAgain(), Number(renewSeconds) * 1_000);
  later();
}

// The clipboard is there only where the address is https or this machine.
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy ?? '');
    if (!source) return;
    getSelection()?.selectAllChildren(source);
    const copied = await navigator.clipboard?.writeText(source.textContent ?? '').then(
      () => true,
      () => false,
    );
    button.textContent = copied ? 'Copied' : 'Selected: press Ctrl+C';
  });
}

// A form that was refused keeps what was typed.
const refused = document.getElementById('main')?.dataset.refused;
if (refused !== undefined) {
  const { action, fields } = JSON.parse(refused) as { action: string; fields: [string, string][] };
  const form = [...document.forms].find((each) => each.getAttribute('action') === action);
  for (const [name, value] of fields) {
    const input = form?.elements.namedItem(name);
    if (input instanceof HTMLInputElement || input instanceof HTMLSelectElement) input.value = value;
  }
  form?.closest('details')?.setAttribute('open', '');
}

// Nor must a reload of its answer: that shows the page it came from.
if (document.getElementById('main')?.dataset.answer !== undefined && document.referrer !== '')
  history.replaceState(null, '', document.referrer);

// A double click must not make a change twice.
document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (form.method !== 'post') return;
  if (form.dataset.sent !== undefined) event.preventDefault();
  form.dataset.sent = '';
});
// A page that comes back from the browser's memory can be used again.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form')) delete form.dataset.sent;
});

export {};
