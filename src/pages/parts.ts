/** The small parts that the console and the partner's pages share. */
import { Html, type HtmlValue, html } from './html.ts';

/** A change that is opened first, so that no single click makes it. */
export function disclosed(summary: string, body: HtmlValue): Html {
  return html`<details class="disclosed"><summary>${summary}</summary>${body}</details>`;
}

export function field(
  label: string,
  name: string,
  options: {
    value?: string | number | undefined;
    type?: 'text' | 'number' | 'date' | 'search';
    required?: boolean;
    hint?: string;
  } = {},
): Html {
  const { value, type = 'text', required = false, hint } = options;
  return html`<label class="field"><span>${label}</span><input name="${name}" type="${type}"${value !== undefined && html` value="${value}"`}${
    required && html` required`
  }${hint !== undefined && html` placeholder="${hint}"`} autocomplete="off"></label>`;
}

export function choice(label: string, name: string, texts: Record<string, string>, chosen: string): Html {
  return html`<label class="field"><span>${label}</span><select name="${name}">${Object.entries(texts).map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select></label>`;
}

export function table(headings: readonly HtmlValue[], rows: readonly (readonly HtmlValue[])[], empty: string): Html {
  if (rows.length === 0) return html`<p class="muted empty">${empty}</p>`;
  // A column of numbers is read from the right.
  const right = headings.map((_, i) => rows.some((row) => isNumber(row[i])) && html` class="number-cell"`);
  return html`<div class="scroll-x" tabindex="0"><table><thead><tr>${headings.map((heading, i) => (heading === '' ? html`<td></td>` : html`<th scope="col"${right[i]}>${heading}</th>`))}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell, i) => html`<td${right[i]}>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

function isNumber(cell: HtmlValue): boolean {
  return cell instanceof Html && cell.text.startsWith('<span class="number">');
}

/** Without those that are not known. */
export function facts(pairs: readonly (readonly [string, HtmlValue])[]): Html {
  const known = pairs.filter(([, value]) => value !== undefined);
  return html`<dl class="facts">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

export function number(value: number): Html {
  return html`<span class="number">${value.toLocaleString('en')}</span>`;
}

/** A decimal of any length, to a hundredth of a cent; nothing where nobody knows. */
export function money(cost: string | undefined): HtmlValue {
  if (cost === undefined) return '';
  const text = Number(cost).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
  return html`<span class="number">${text}</span>`;
}

/** With what was estimated: an operator asks what it came to. */
export function costInWords(costs: Record<'cost' | 'estimatedCost', string | undefined>): HtmlValue {
  const { cost, estimatedCost } = costs;
  if (cost === undefined && estimatedCost === undefined) return html`<span class="number">–</span>`;
  return money(String(Number(cost ?? 0) + Number(estimatedCost ?? 0)));
}

/** To the second in UTC, wherever the reader sits. */
export function moment(at: Date | string | null | undefined): HtmlValue {
  if (at === undefined || at === null) return undefined;
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}"><span>${iso.slice(0, 10)}</span> <span>${iso.slice(11, 19)} UTC</span></time>`;
}

export function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const at = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  return `${(value / 1000 ** at).toFixed(at === 0 ? 0 : 1)} ${units[at]}`;
}

export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

const tones: Record<string, string> = {
  completed: 'good',
  delivered: 'good',
  closed: 'good',
  active: 'good',
  pending: 'info',
  failed: 'bad',
  open: 'bad',
  probing: 'warn',
  suspended: 'warn',
  cancelled: '',
};

export function tag(text: string, tone = tones[text] ?? ''): Html {
  return html`<span class="tag ${tone}">${text}</span>`;
}

export function olderLink(
  path: string,
  query: Record<string, string | undefined>,
  last: string | undefined,
  text = 'Older',
): HtmlValue {
  if (last === undefined) return '';
  return html`<p><a rel="next" href="${addressOf(path, { ...query, before: last })}">${text}</a></p>`;
}

export const pageSize = 50;

/** One page of what was asked for with one more than fits, and where the next one begins. */
export function pageOf<T>(listed: readonly T[], keyOf: (last: T) => string): { shown: T[]; older: string | undefined } {
  const shown = listed.slice(0, pageSize);
  const last = shown.at(-1);
  return { shown, older: last !== undefined && listed.length > pageSize ? keyOf(last) : undefined };
}

export function addressOf(path: string, query: Record<string, string | undefined>): string {
  const set = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '');
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}

export function tile(name: string, value: Html, note: string): Html {
  return html`<div class="tile card"><h2>${name}</h2><p class="figure">${value}</p><p class="muted small">${note}</p></div>`;
}

/** The head of a page that lies below another. */
export function pageHead(title: string, above?: { href: string; text: string }, note?: HtmlValue): Html {
  return html`${above && html`<p class="above"><a href="${above.href}">${above.text}</a></p>`}<h1>${title}</h1>${note !== undefined && html`<p class="muted small breakable">${note}</p>`}`;
}

export const taskStates = {
  '': 'All',
  pending: 'Pending',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** Ways to look at a list: by state, the one that is shown marked. */
export function stateTabs(
  path: string,
  query: Record<string, string | undefined>,
  states: Record<string, string>,
  countOf: (status: string) => string | undefined = () => undefined,
): Html {
  const links = Object.entries(states).map(([status, text]) => {
    const [href, count] = [addressOf(path, { ...query, status }), countOf(status)];
    return html`<a href="${href}"${status === query.status && html` aria-current="page"`}>${text}${count !== undefined && html` <span class="count">${count}</span>`}</a>`;
  });
  return html`<nav class="tabs" aria-label="States">${links}</nav>`;
}

export function termTable(
  terms: readonly { source: string; target: string; type: string; origin: string; occurrences: number }[],
): Html {
  return table(
    ['Source', 'Translation', 'Type', 'From', 'Occurrences'],
    terms.map(({ source, target, type, origin, occurrences }) => [
      html`<span class="breakable">${source}</span>`,
      html`<span class="breakable">${target}</span>`,
      ...[type, origin, number(occurrences)],
    ]),
    'It has no term yet.',
  );
}
