/** The same sample in several languages; the browser makes tabs of it. */
import { type Html, html } from '../html.ts';
import type { Sample } from './openapi-types.ts';

export function codeTabs(samples: readonly Sample[], label: string): Html {
  return html`<div class="tabs" data-tabs aria-label="${label}">${samples.map(
    ({ title, code }) =>
      html`<figure class="code" data-tab="${title}"><figcaption>${title}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`,
  )}</div>`;
}
