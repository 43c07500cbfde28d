/** The frame of the reader. The book comes into it by script, as text and never as markup. */
import { html } from '../html.ts';
import { nameOfFile } from '../names.ts';
import type { PageAssets } from '../page-assets.ts';
import { brand, renderPage } from '../page-shell.ts';

export function readerPage(assets: PageAssets): string {
  const bar = html`<header class="bar reader-bar" id="bar"><div class="bar-inner">${brand()}
<p class="book-name"><bdi id="book-title"></bdi></p><span id="quality" class="tag" hidden></span>
<div class="tools" role="toolbar" aria-label="Reading">
<button type="button" id="toggle-chapters" aria-expanded="false" aria-controls="chapters">Chapters</button>
<button type="button" id="toggle-search" aria-expanded="false" aria-controls="search-panel">Search</button>
<button type="button" id="toggle-source" aria-pressed="false">Translation only</button>
<span class="sizes"><button type="button" id="smaller">A−<span class="visually-hidden"> smaller text</span></button><button type="button" id="larger">A+<span class="visually-hidden"> larger text</span></button></span>
<button type="button" id="toggle-vertical" aria-pressed="false" hidden>Vertical</button>
<button type="button" id="toggle-keys" popovertarget="keys" aria-keyshortcuts="?">Keys</button>
</div></div><p id="progress" class="progress" role="status" hidden></p>
<div id="review" class="review" role="group" aria-label="Review" hidden><p id="review-status" role="status"></p>
<button type="button" id="review-previous" aria-keyshortcuts="p">Previous <kbd>p</kbd></button><button type="button" id="review-next" aria-keyshortcuts="n">Next <kbd>n</kbd></button>
<button type="button" id="approve" aria-pressed="false" aria-keyshortcuts="a" hidden disabled>Approve <kbd>a</kbd></button></div></header>`;
  const body = html`<div class="reader">
<nav id="chapters" class="panel" aria-label="Chapters" hidden><h2>Chapters</h2><ol id="chapter-list"></ol></nav>
<aside id="search-panel" class="panel" aria-label="Search" hidden><form id="search-form" role="search"><label for="query">Search source and translation</label><div class="row"><input id="query" type="search" autocomplete="off" required maxlength="200"><button type="submit">Find</button></div></form><p id="search-status" role="status"></p><ol id="found"></ol></aside>
<main id="main" class="book" tabindex="-1"><div id="book-head"></div><div id="book"></div></main>
<canvas id="strip" class="strip" role="img" width="14" height="600" hidden></canvas>
<div id="keys" class="keys" popover role="dialog" aria-label="Keys"><h2>Keys</h2><dl>${keys.map(({ key, text, edits }) => html`<div${edits && html` class="for-editors"`}><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}</dl></div>
<div id="term-card" class="term-card" popover role="dialog" aria-label="Term"></div>
<footer id="foot-bar" class="foot-bar" hidden><p id="foot-status" role="status"></p>
<button type="button" id="other-files" popovertarget="files">Other formats</button><button type="button" class="primary" data-file="book">Download the book</button>
<div id="files" class="files" popover role="group" aria-label="Other formats">${otherFiles.map(({ id, text }) => html`<button type="button" class="plain" data-file="${id}"><b>${nameOfFile(id)}</b> <small>${text}</small></button>`)}</div></footer>
</div>
<noscript><p class="message">The reader needs JavaScript.</p></noscript>`;
  return renderPage(assets, {
    title: 'Reader · Toledo',
    styles: ['reader.css'],
    scripts: ['reader.ts'],
    bar,
    bodyClass: 'reading',
    body,
  });
}

const otherFiles = [
  { id: 'bilingual', text: 'each paragraph with its translation' },
  { id: 'xliff', text: 'for the tool of an editor' },
  { id: 'tmx', text: 'as a translation memory' },
  { id: 'glossary', text: 'names and terms as a table' },
  { id: 'glossary_tbx', text: 'names and terms for term bases' },
];

const keys: { key: string; text: string; edits?: true }[] = [
  { key: 'n', text: 'to the next paragraph in doubt' },
  { key: 'p', text: 'to the one before' },
  { key: 'a', text: 'approve the marked paragraph, or take that back', edits: true },
  { key: 'e', text: 'correct the marked paragraph', edits: true },
  { key: 'Ctrl+Enter', text: 'save what was typed', edits: true },
  { key: 'Escape', text: 'leave without saving, or close what is open' },
  { key: 'l', text: 'put the marked paragraph into the address, to link to it' },
  { key: 'c', text: 'chapters' },
  { key: '/', text: 'search' },
  { key: '?', text: 'these keys' },
];
