/** Fills the test key of the person who is signed in into the examples. An operator without one can have it made. */
import { button, element } from './dom.ts';

interface Offer {
  key: string | null;
  /** Of the console's session, which can make a key. */
  csrf?: string;
}

/** How samples ask for the key, in each of their languages. */
const placeholders: readonly [RegExp, (key: string) => string][] = [
  [/tol_(?:test|live)_…|\$TOLEDO_API_KEY\b|\$\{TOLEDO_API_KEY:\?[^}]*\}/g, (key) => key],
  [/process\.env\.TOLEDO_API_KEY!|os\.environ\['TOLEDO_API_KEY'\]/g, (key) => `'${key}'`],
];

const samples = [...document.querySelectorAll('.content pre code')].filter(({ textContent }) =>
  placeholders.some(([pattern]) => textContent?.search(pattern) !== -1),
);

export async function setUpExampleKey(): Promise<void> {
  if (samples.length === 0) return;
  const own = await ask('/account/example-key');
  if (own?.key) return fill(own.key, element('a', { href: '/account' }, 'Account'));
  const offer = await ask('/console/example-key');
  if (offer?.csrf === undefined) return;
  if (offer.key === null) show(offerButton(offer.csrf));
  else fill(offer.key, dismissButton(offer.csrf));
}

/** Undefined for a visitor who is not signed in there. */
async function ask(address: string): Promise<Offer | undefined> {
  const answer = await fetch(address).catch(() => undefined);
  return answer?.status === 200 ? ((await answer.json()) as Offer) : undefined;
}

function fill(key: string, end: HTMLElement): void {
  for (const sample of samples)
    sample.textContent = placeholders.reduce(
      (text, [pattern, written]) => text.replace(pattern, () => written(key)),
      sample.textContent ?? '',
    );
  show('The examples hold your test key ', element('code', {}, `${key.slice(0, 13)}…`), '. It moves no credits. ', end);
}

function offerButton(csrf: string): HTMLElement {
  const make = async () => {
    offer.disabled = true;
    const answer = await send('/console/example-key', csrf);
    const isGood = answer?.ok && answer.headers.get('content-type')?.includes('json');
    const made = isGood ? ((await answer.json()) as Offer) : undefined;
    if (made?.key) return fill(made.key, dismissButton(csrf));
    const link = element('a', { href: '/console' }, 'console');
    show('There is no key: reload the page, or sign in to the ', link, ' again.');
  };
  const offer = button({}, make, 'Make a test key for these examples');
  return offer;
}

function dismissButton(csrf: string): HTMLElement {
  const dismiss = async () => {
    made.disabled = true;
    await send('/console/dismiss', csrf);
    location.reload();
  };
  const made = button({}, dismiss, 'Dismiss');
  return made;
}

async function send(address: string, csrf: string): Promise<Response | undefined> {
  return await fetch(address, { method: 'POST', body: new URLSearchParams({ csrf }) }).catch(() => undefined);
}

const place = element('p', { class: 'example-key', role: 'status' });

function show(...content: (Node | string)[]): void {
  place.replaceChildren(...content);
  document.querySelector('.content h1')?.after(place);
}
