/** The frame of pages that people work in, the console's and the partner's: sections, notices, forms. */
import { type Html, type HtmlValue, html } from './html.ts';
import type { PageAssets } from './page-assets.ts';
import { brand, renderPage } from './page-shell.ts';
import { disclosed } from './parts.ts';

export interface WorkFrame {
  assets: PageAssets;
  /** Goes with every change. */
  csrf: string;
  /** What the last change came to. */
  notice?: Notice | undefined;
  /** Shown until it is dismissed. */
  keptNotice?: Notice | undefined;
  /** A form that was refused: its fields are filled in again. */
  refused?: { action: string; fields: readonly (readonly [name: string, value: string])[] };
  /** The page is the answer to a change: loaded again, it must not make the change again. */
  isAnswer?: boolean;
  /** What concerns everybody who works here, such as an engine that is down. */
  banner?: HtmlValue;
}

export interface Notice {
  tone: 'good' | 'bad';
  text: string;
  /** Something to take away, such as a new key. */
  secret?: string;
  /** Where it leads, when it is an address. */
  href?: string;
}

/** One of the two places to work in. */
export interface WorkArea {
  name: string;
  /** Where it begins: `/console`. */
  root: string;
  sections: readonly (readonly [name: string, href: string, text: string])[];
}

/** What a page shows in the frame. */
export interface WorkContent<Section extends string = string> {
  title: string;
  section: Section;
  body: HtmlValue;
  styles?: readonly string[];
}

export function workPage(frame: WorkFrame, { name, root, sections }: WorkArea, page: WorkContent): string {
  const { assets, csrf, notice, keptNotice, refused, banner } = frame;
  const bar = html`<header class="bar"><div class="bar-inner">${brand()}<span class="muted bar-where">${name}</span>
<form class="bar-end" method="post" action="${root}/sign-out"><input type="hidden" name="csrf" value="${csrf}"><button class="plain">Sign out</button></form></div></header>`;
  const links = sections.map(
    ([section, href, text]) =>
      html`<a href="${href}"${section === page.section && html` aria-current="page"`}>${text}</a>`,
  );
  const body = html`<div class="console"><nav class="side" aria-label="${name}">${links}</nav>
<main id="main" tabindex="-1"${frame.isAnswer && html` data-answer`}${refused && html` data-refused="${JSON.stringify({ ...refused, fields: refused.fields.filter(([field]) => field !== 'csrf') })}"`}>${banner}${
    keptNotice && noticeView(keptNotice, changeForm(frame, `${root}/dismiss`, html`<button>Dismiss</button>`))
  }${notice && noticeView(notice)}${page.body}</main></div>`;
  return renderPage(assets, {
    title: `${page.title} · Toledo ${name.toLowerCase()}`,
    styles: ['console.css', ...(page.styles ?? [])],
    scripts: ['console.ts'],
    bar,
    body,
  });
}

/** Where people sign in to one of the places. @param problem why somebody is not, or no longer, signed in */
export function signInPage(
  assets: PageAssets,
  name: 'Console' | 'Account',
  how: HtmlValue,
  problem: string | undefined,
): string {
  const notice = problem !== undefined && html`<div class="notice bad" role="alert"><p>${problem}</p></div>`;
  const body = html`<main id="main" class="sign-in-page card"><h1>${name}</h1>${notice}${how}</main>`;
  const current = name === 'Console' ? 'console' : 'account';
  return renderPage(assets, { title: `Sign in · Toledo ${current}`, styles: ['console.css'], current, body });
}

function noticeView({ tone, text, secret, href }: Notice, dismiss?: Html): Html {
  return html`<div class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}"><p>${text}</p>${
    secret !== undefined &&
    html`<p><code class="secret" id="secret">${secret}</code> <button type="button" data-copy="secret">Copy</button>${href !== undefined && html` <a class="button" href="${href}">Open</a>`}</p>`
  }${dismiss}</div>`;
}

/** A form that changes something. */
export function changeForm({ csrf }: Pick<WorkFrame, 'csrf'>, action: string, body: HtmlValue): Html {
  return html`<form class="change" method="post" action="${action}"><input type="hidden" name="csrf" value="${csrf}">${body}</form>`;
}

/** A form that is opened first. */
export function disclosedForm(frame: Pick<WorkFrame, 'csrf'>, summary: string, action: string, body: HtmlValue): Html {
  return disclosed(summary, changeForm(frame, action, body));
}
