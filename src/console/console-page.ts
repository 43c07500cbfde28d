/** The frame of the console's pages, and the small parts that they share. */
import { type Html, type HtmlValue, html } from '../pages/html.ts';
import type { PageAssets } from '../pages/page-assets.ts';
import { brand, renderPage } from '../pages/page-shell.ts';

export interface ConsoleFrame {
  assets: PageAssets;
  /** Goes with every change. */
  csrf: string;
  /** What the last change came to. */
  notice?: Notice | undefined;
}

export interface Notice {
  tone: 'good' | 'bad';
  text: string;
  /** Something that is shown this once, such as a new key. */
  secret?: string;
}

const sections = [
  ['overview', '/console', 'Overview'],
  ['tasks', '/console/tasks', 'Tasks'],
  ['accounts', '/console/accounts', 'Accounts'],
  ['usage', '/console/usage', 'Usage'],
  ['engines', '/console/engines', 'Engines'],
  ['webhooks', '/console/webhooks', 'Webhooks'],
  ['system', '/console/system', 'System'],
  ['audit', '/console/audit', 'Audit log'],
] as const;
export type Section = (typeof sections)[number][0];

export function consolePage(frame: ConsoleFrame, page: { title: string; section: Section; body: HtmlValue }): string {
  const { assets, csrf, notice } = frame;
  const bar = html`<header class="bar"><div class="bar-inner">${brand()}<span class="muted bar-where">Console</span>
<form class="bar-end" method="post" action="/console/sign-out"><input type="hidden" name="csrf" value="${csrf}"><button class="plain">Sign out</button></form></div></header>`;
  const links = sections.map(
    ([name, href, text]) => html`<a href="${href}"${name === page.section && html` aria-current="page"`}>${text}</a>`,
  );
  const body = html`<div class="console"><nav class="side" aria-label="Console">${links}</nav>
<main id="main" tabindex="-1">${notice && noticeView(notice)}${page.body}</main></div>`;
  return renderPage(assets, {
    title: `${page.title} · Toledo console`,
    styles: ['console.css'],
    scripts: ['console.ts'],
    bar,
    body,
  });
}

function noticeView({ tone, text, secret }: Notice): Html {
  return html`<div class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}"><p>${text}</p>${
    secret !== undefined && html`<p><code class="secret" id="secret">${secret}</code></p>`
  }</div>`;
}

/** A form that changes something. */
export function changeForm(frame: ConsoleFrame, action: string, body: HtmlValue): Html {
  return html`<form class="change" method="post" action="${action}"><input type="hidden" name="csrf" value="${frame.csrf}">${body}</form>`;
}

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

export function choice(
  label: string,
  name: string,
  values: readonly (readonly [string, string])[],
  chosen: string,
): Html {
  return html`<label class="field"><span>${label}</span><select name="${name}">${values.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select></label>`;
}

export function table(headings: readonly HtmlValue[], rows: readonly (readonly HtmlValue[])[], empty: string): Html {
  if (rows.length === 0) return html`<p class="muted empty">${empty}</p>`;
  return html`<div class="scroll-x" tabindex="0"><table><thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

export function facts(pairs: readonly (readonly [string, HtmlValue])[]): Html {
  return html`<dl class="facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

export function number(value: number): Html {
  return html`<span class="number">${value.toLocaleString('en')}</span>`;
}

/** To the second in UTC, wherever the operator sits. */
export function moment(at: Date | undefined): HtmlValue {
  if (at === undefined) return '';
  const iso = at.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)}</time>`;
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
  live: 'good',
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
): HtmlValue {
  if (last === undefined) return '';
  return html`<p><a rel="next" href="${addressOf(path, { ...query, before: last })}">Older</a></p>`;
}

export function addressOf(path: string, query: Record<string, string | undefined>): string {
  const set = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '');
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}

export function percent(progress: number): string {
  return `${Math.floor(progress * 100)} %`;
}
