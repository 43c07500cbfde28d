import { byId, element } from './dom.ts';

/** Shows on the front page whether the service can take requests. */
const place = document.getElementById('status');
const text = document.getElementById('status-text');
if (place && text) {
  try {
    const answer = await fetch(place.dataset.href ?? '/readyz');
    place.classList.add(answer.ok ? 'up' : 'down');
    text.textContent = answer.ok ? ': taking requests' : ': not ready';
  } catch {
    place.classList.add('down');
    text.textContent = ': no answer';
  }
}

const form = document.getElementById('try-form') as HTMLFormElement | null;
form?.addEventListener('submit', async (event) => {
  event.preventDefault();
  const [status, answer] = [byId('try-status'), byId('try-answer')];
  const button = form.querySelector('button');
  const fields = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
  if (button) button.disabled = true;
  status.textContent = 'Translating…';
  try {
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) };
    const { success, data, error } = await (await fetch('/try', sent)).json();
    if (!success) throw new Error(error?.message ?? 'The service does not answer.');
    answer.hidden = false;
    answer.replaceChildren(
      ...data.paragraphs.flatMap((pair: { source: string; target: string }) => [
        element('p', { dir: 'auto' }, pair.source),
        element('p', { dir: 'auto', lang: String(fields.target_lang) }, pair.target),
      ]),
    );
    status.textContent = data.quality === 'standard' ? 'Translated.' : `Translated. Quality: ${data.quality}.`;
  } catch (error) {
    status.textContent = (error as Error).message;
  } finally {
    if (button) button.disabled = false;
  }
});
