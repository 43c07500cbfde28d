/** Renews the live part of a page by server-sent events, and says so when the stream is cut. */

// In a narrow window the sections are one line that scrolls: the current one is to be seen.
const current = document.querySelector<HTMLElement>('nav.side [aria-current]');
current?.parentElement?.scrollTo({ left: current.offsetLeft - innerWidth / 2 + current.offsetWidth / 2 });

const place = document.getElementById('live');
const address = place?.dataset.live;
if (place && address !== undefined) {
  const status = document.createElement('p');
  status.className = 'live-state muted small';
  place.before(status);
  const stream = new EventSource(address);
  let shown = '';
  stream.onopen = () => {
    status.textContent = 'live';
    status.classList.add('on');
  };
  stream.onmessage = (event: MessageEvent<string>) => {
    const { html } = JSON.parse(event.data) as { html: string };
    // Untouched while nothing changes, so that a selection or a focus inside it stays.
    if (html === shown) return;
    shown = html;
    // Made by the server's escaping templates, as the page itself.
    place.innerHTML = html;
  };
  stream.addEventListener('end', () => {
    stream.close();
    // A reload would close the form that somebody has open, or break off the change that is on its way and hide its answer.
    if (document.querySelector('details[open] form, form[data-sent]') === null) return location.reload();
    status.classList.remove('on');
    status.textContent = 'ended: reload the page to see what can be done now';
  });
  stream.onerror = () => {
    status.classList.remove('on');
    status.textContent = 'not live: waiting for the service';
  };
}

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
