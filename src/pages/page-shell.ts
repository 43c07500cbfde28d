/** The frame of every page: head, styles, the bar at the top, the skip link. */
import { Html, type HtmlValue, html } from './html.ts';
import type { PageAssets } from './page-assets.ts';

export interface PageOptions {
  title: string;
  description?: string;
  /** Names of files in `assets/`; `base.css` comes with every page. */
  styles?: readonly string[];
  scripts?: readonly string[];
  /** Marks the current entry of the bar. */
  current?: 'docs' | 'account' | 'console';
  /** Replaces the bar's usual links: the reader has a bar of its own. */
  bar?: HtmlValue;
  bodyClass?: string;
  body: HtmlValue;
}

/** Scripts and styles from us only, none of them inline; nothing else may be loaded, framed or sent anywhere. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export function renderPage(assets: PageAssets, options: PageOptions): string {
  const { title, description, styles = [], scripts = [], bar, bodyClass, body } = options;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${description !== undefined && html`<meta name="description" content="${description}">`}
<link rel="icon" href="${assets.url('mark.svg')}" type="image/svg+xml">
${['base.css', ...styles].map((name) => html`<link rel="stylesheet" href="${assets.url(name)}">\n`)}
${scripts.map((name) => html`<script type="module" src="${assets.url(name)}"></script>\n`)}
</head>
<body${bodyClass !== undefined && html` class="${bodyClass}"`}>
<a class="skip" href="#main">Skip to the content</a>
${bar ?? siteBar(options.current)}
${body}
</body>
</html>`;
  return page.text;
}

/** The mark and the name, as every bar begins. */
export function brand(): Html {
  return html`<a class="brand" href="/"><svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M3 4.5h7.2c1 0 1.8.8 1.8 1.8V20c0-1-.8-1.8-1.8-1.8H3z"/><path d="M21 4.5h-7.2c-1 0-1.8.8-1.8 1.8V20c0-1 .8-1.8 1.8-1.8H21z"/></svg><span>Toledo</span></a>`;
}

function siteBar(current: PageOptions['current']): Html {
  const link = (href: string, text: string, mark: PageOptions['current']) =>
    html`<a href="${href}"${mark === current && new Html(' aria-current="true"')}>${text}</a>`;
  return html`<header class="bar"><div class="bar-inner">${brand()}
<nav class="bar-links" aria-label="Site">${link('/docs', 'Documentation', 'docs')}<a class="extra" href="/docs/guides/quickstart">Quickstart</a>${link('/account', 'Account', 'account')}${link('/console', 'Console', 'console')}</nav>
</div></header>`;
}

/** A page that says in one sentence why there is nothing to see. */
export function messagePage(assets: PageAssets, title: string, message: string): string {
  const body = html`<main id="main" class="message"><h1>${title}</h1><p>${message}</p><p><a href="/">To the front page</a> · <a href="/docs">Documentation</a></p></main>`;
  return renderPage(assets, { title: `${title} · Toledo`, body });
}
