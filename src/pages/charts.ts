/** Small charts as SVG: no script and no inline style, so the page's policy stays strict. */
import { type Html, html } from './html.ts';

export interface Bar {
  value: number;
  /** What a pointer over it, and a screen reader, is told. */
  label: string;
  tone?: 'bad' | undefined;
}

export interface ChartScale {
  /** What is shown; a chart without it means nothing to a screen reader. */
  title: string;
  /** What the first and the last bar stand for. */
  from: string;
  to: string;
}

const height = 60;
const step = 10;

/** Bars over a scale from nothing to a round number above the highest. */
export function barChart({ title, from, to }: ChartScale, bars: readonly Bar[]): Html {
  const top = roundAbove(Math.max(1, ...bars.map(({ value }) => value)));
  const shapes = bars.map(({ value, label, tone }, i) => {
    const tall = value === 0 ? 0.5 : Math.max(2, (value / top) * height);
    return html`<rect class="chart-bar ${tone}" x="${i * step + 1}" y="${(height - tall).toFixed(1)}" width="${step - 2}" height="${tall.toFixed(1)}"><title>${label}</title></rect>`;
  });
  const lines = [0, height / 2].map(
    (y) => html`<line class="chart-line" x1="0" x2="${bars.length * step}" y1="${y}" y2="${y}"/>`,
  );
  return html`<figure class="chart-figure"><div class="chart-scale" aria-hidden="true"><span>${compact(top)}</span><span>${compact(top / 2)}</span><span>0</span></div>
<svg class="chart" role="img" aria-label="${title}" viewBox="0 0 ${bars.length * step} ${height}" preserveAspectRatio="none">${lines}${shapes}</svg>
<figcaption><span>${from}</span><span class="chart-title">${title}</span><span>${to}</span></figcaption></figure>`;
}

interface Day {
  day: string;
  credits: number;
  completed: number;
  failed: number;
}

/** The credits of each day, in UTC. */
export function dayChart(title: string, days: readonly Day[]): Html {
  const scale = { title, from: days[0]?.day ?? '', to: days.at(-1)?.day ?? '' };
  return barChart(
    scale,
    days.map(({ day, credits, completed, failed }) => ({
      value: credits,
      label: `${day}: ${credits.toLocaleString('en')} credits, ${completed} completed, ${failed} failed`,
    })),
  );
}

/** 1, 2, 4, 6, 8 or 10 times a power of ten: also its half is a number that can be read. */
function roundAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = [1, 2, 4, 6, 8, 10].find((each) => each * power >= value) ?? 10;
  return Math.max(2, steps * power);
}

function compact(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** Two amounts of one whole, such as used and free. */
export function share(title: string, part: number, whole: number): Html {
  const width = whole <= 0 ? 0 : Math.min(100, (part / whole) * 100);
  return meter(title, width, width > 90 ? 'bad' : '');
}

/** The stage of a task that is under way, and how much of it is done. @param done 0 to 1 */
export function stageProgress(stage: string | undefined, done: number): Html {
  const percent = `${Math.floor(done * 100)} %`;
  const bar = meter(`${percent} done`, Math.min(1, Math.max(0, done)) * 100, '');
  return html`<br><span class="small">${stage}, ${percent}</span>${bar}`;
}

function meter(title: string, width: number, tone: string): Html {
  return html`<svg class="share" role="img" aria-label="${title}" viewBox="0 0 100 4" preserveAspectRatio="none"><rect class="share-whole" width="100" height="4"/><rect class="chart-bar ${tone}" width="${width.toFixed(1)}" height="4"/></svg>`;
}
