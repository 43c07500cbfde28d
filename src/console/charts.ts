/** Small charts as SVG: no script and no inline style, so the page's policy stays strict. */
import { type Html, html } from '../pages/html.ts';

export interface Bar {
  value: number;
  /** What a pointer over it, and a screen reader, is told. */
  label: string;
  tone?: 'bad' | undefined;
}

const height = 60;
const step = 10;

/** @param title says what is shown; a chart without it means nothing to a screen reader */
export function barChart(title: string, bars: readonly Bar[]): Html {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const shapes = bars.map(({ value, label, tone }, i) => {
    const tall = value === 0 ? 0.5 : Math.max(2, (value / most) * height);
    return html`<rect class="chart-bar ${tone}" x="${i * step + 1}" y="${(height - tall).toFixed(1)}" width="${step - 2}" height="${tall.toFixed(1)}"><title>${label}</title></rect>`;
  });
  return html`<svg class="chart" role="img" aria-label="${title}" viewBox="0 0 ${bars.length * step} ${height}" preserveAspectRatio="none">${shapes}</svg>`;
}

/** Two amounts of one whole, such as used and free. */
export function share(title: string, part: number, whole: number): Html {
  const width = whole <= 0 ? 0 : Math.min(100, (part / whole) * 100);
  const tone = width > 90 ? 'bad' : '';
  return html`<svg class="share" role="img" aria-label="${title}" viewBox="0 0 100 4" preserveAspectRatio="none"><rect class="share-whole" width="100" height="4"/><rect class="chart-bar ${tone}" width="${width.toFixed(1)}" height="4"/></svg>`;
}
