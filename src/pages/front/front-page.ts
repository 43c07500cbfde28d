/** `/`: what this is, and the way to everything else. */
import { type Html, html } from '../html.ts';
import type { PageAssets } from '../page-assets.ts';
import { renderPage } from '../page-shell.ts';

export interface FrontPair {
  source: { tag: string; name: string }[];
  target: { tag: string; name: string }[];
  quality: string;
}

export interface FrontExample {
  sourceLang: string;
  targetLang: string;
  quality: string;
  paragraphs: { source: string; target: string }[];
  /** Path of the reader with it. */
  path: string;
}

export interface FrontProof {
  pairs: readonly FrontPair[];
  example: FrontExample | undefined;
  /** Of the paragraph to try; undefined = there is no box for one. */
  maxCharacters: number | undefined;
}

/** @param root scheme and host as partners reach the service */
export function frontPage(assets: PageAssets, root: string, { pairs, example, maxCharacters }: FrontProof): string {
  const sample = `curl ${root}/api/v1/tasks \\
  -H "Authorization: Bearer $TOLEDO_API_KEY" \\
  -F action=translation -F target_lang=en \\
  -F estimated_chars=420000 \\
  -F file=@novel.epub`;
  const page = `curl ${root}/api/v1/tasks \\
  -H "Authorization: Bearer $TOLEDO_API_KEY" \\
  -F action=translation \\
  -F source_lang=en -F target_lang=fr \\
  -F text='“Is anybody there?” asked Hannah. Nobody answered.'`;
  const body = html`<main id="main" class="front">
<section class="hero">
<div>
<h1>A novel goes in.<br>A translated book comes out.</h1>
<p class="lead">Toledo translates long-form fiction through one asynchronous API: whole books, in the format they came in, with names that stay the same from the first chapter to the last.</p>
<p class="hero-actions"><a class="button primary" href="/docs/guides/quickstart">Get started</a> <a class="button" href="/docs">Read the documentation</a></p>
<p class="status" id="status" data-href="/readyz"><span class="dot" aria-hidden="true"></span> <a href="/readyz">Status of this service</a><span id="status-text" role="status"></span></p>
</div>
<div class="samples">
<figure class="sample"><figcaption>One request: a novel into English</figcaption><pre tabindex="0"><code>${sample}</code></pre></figure>
<figure class="sample"><figcaption>Or a page of English into French</figcaption><pre tabindex="0"><code>${page}</code></pre></figure>
</div>
</section>
${example && exampleSection(example)}
${maxCharacters !== undefined && pairs.length > 0 && trySection(pairs, maxCharacters)}
<section aria-labelledby="pairs"><h2 id="pairs">What this installation translates now</h2>
${pairs.length === 0 && html`<p>No engine is set up yet.</p>`}
<ul class="pairs">${pairs.map(pairItem)}</ul></section>
<section aria-labelledby="how"><h2 id="how">How a book travels</h2>
<ol class="steps">
<li><b>Look first.</b> <code>preview_metadata</code> and <code>token_estimate</code> are free: language, chapters, exact price.</li>
<li><b>Agree on names.</b> <code>glossary_extraction</code> proposes every name and term; your own choices win.</li>
<li><b>Translate.</b> Each passage is translated, checked and repaired; what fails its checks is listed and not charged.</li>
<li><b>Read and correct.</b> Source and translation side by side in the browser, or as XLIFF and TMX in your editor's tool.</li>
</ol></section>
<section aria-labelledby="doors"><h2 id="doors">Where to go</h2>
<ul class="doors">
${doors.map(([href, title, text]) => html`<li class="card"><h3><a href="${href}">${title}</a></h3><p>${text}</p></li>`)}
</ul></section>
<section aria-labelledby="get"><h2 id="get">Client and command line</h2>
<p>Both come from this service; nothing else has to be reachable.</p>
<pre tabindex="0"><code>npm install ${root}/downloads/toledo-client.tgz      # for your program
npm install --global ${root}/downloads/toledo-cli.tgz  # the command "toledo"</code></pre></section>
</main>
<footer class="foot"><p>Toledo, named after the School of Translators. <a href="/llms.txt">llms.txt</a></p></footer>`;
  return renderPage(assets, {
    title: 'Toledo · translation of novels',
    description: 'An API that translates long-form novels: whole books in, whole books out.',
    styles: ['front.css'],
    scripts: ['front.ts'],
    body,
  });
}

function exampleSection({ sourceLang, targetLang, quality, paragraphs, path }: FrontExample): Html {
  const note = qualityNotes[quality];
  return html`<section aria-labelledby="example"><h2 id="example">A page of a book, side by side</h2>
<div class="example">${paragraphs.map(({ source, target }) => html`<p lang="${sourceLang}" dir="auto">${source}</p><p lang="${targetLang}" dir="auto">${target}</p>`)}</div>
<p class="muted">Translated by this installation${note !== undefined && ` (${note})`}. <a href="${path}">Open it in the reader</a></p></section>`;
}

const qualityNotes: Record<string, string> = {
  draft: 'a draft by the engine that comes with it',
  refined: 'edited by a second engine',
  sandbox: 'invented words of the sandbox',
};

const maxNamed = 12;

function pairItem({ source, target, quality }: FrontPair): Html {
  const names = (languages: FrontPair['source']) =>
    languages.length > maxNamed ? `${languages.length} languages` : languages.map(({ name }) => name).join(', ');
  const note = qualityNotes[quality];
  return html`<li><b>${names(source)}</b> → <b>${names(target)}</b>${note !== undefined && html` <span class="muted">${note}</span>`}</li>`;
}

function trySection(pairs: readonly FrontPair[], maxCharacters: number): Html {
  const options = (side: 'source' | 'target') => {
    const all = new Map(pairs.flatMap((pair) => pair[side].map(({ tag, name }) => [tag, name] as const)));
    const listed = [...all].sort(([, a], [, b]) => a.localeCompare(b, 'en'));
    return listed.map(([tag, name]) => html`<option value="${tag}">${name}</option>`);
  };
  return html`<section aria-labelledby="try"><h2 id="try">Try a paragraph</h2>
<form id="try-form" class="try"><label for="try-text">A paragraph of at most ${maxCharacters} characters</label>
<textarea id="try-text" name="text" rows="5" maxlength="${maxCharacters}" required></textarea>
<div class="row"><label>From <select name="source_lang"><option value="">its own language</option>${options('source')}</select></label>
<label>into <select name="target_lang">${options('target')}</select></label><button type="submit" class="primary">Translate</button></div>
<p id="try-status" role="status" class="small muted">Nothing of it is kept.</p><div id="try-answer" class="example" hidden></div></form></section>`;
}

const doors: readonly [href: string, title: string, text: string][] = [
  ['/docs', 'Reference', 'Every call with its request, its answer and samples in three languages.'],
  ['/docs/guides/intended-flow', 'Guides', 'From a key to a translated book; credits, retries, polling.'],
  ['/account', 'Account', 'For partners: tasks, files, usage, webhooks. Sign in with a key.'],
  ['/console', 'Console', 'For the operator: queue, tasks, accounts, engines.'],
  ['/api/v1/openapi.json', 'OpenAPI', 'The whole interface as one machine-readable document.'],
  ['/readyz', 'Status', 'Whether this process can take requests right now.'],
];
