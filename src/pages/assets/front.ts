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

export {};
