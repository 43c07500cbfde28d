/** The documentation site below /docs: the guides, one page per call, one per named object, and what a search looks through. */
import { errorTable, reasonTable } from '../../errors.ts';
import { type Html, html } from '../html.ts';
import type { PageAssets } from '../page-assets.ts';
import { renderPage } from '../page-shell.ts';
import { exampleValue } from './example-value.ts';
import { type Guide, loadGuides } from './guides.ts';
import { type LocatedOperation, type OpenapiDocument, operationsOf, type Schema } from './openapi-types.ts';
import { operationContent } from './operation-page.ts';
import { fieldList, paragraphs, prose } from './schema-view.ts';

export interface SearchEntry {
  title: string;
  kind: 'Guide' | 'Call' | 'Object' | 'Error';
  url: string;
  text: string;
}

export interface ReferenceSite {
  /** The page at a path below the root, such as `/docs/guides/credits`; undefined when there is none. */
  page(path: string): string | undefined;
  /** The Markdown of a guide. */
  markdown(name: string): string | undefined;
  searchIndex: SearchEntry[];
  llmsText: string;
}

/** What the site is made of. */
interface Contents {
  document: OpenapiDocument;
  /** Scheme and host as partners reach the service. */
  root: string;
  guides: readonly Guide[];
  operations: readonly LocatedOperation[];
  objects: readonly [name: string, schema: Schema][];
}

type SitePage = [path: string, title: string, make: () => Html];

export function referenceSite(openapi: object, assets: PageAssets): ReferenceSite {
  const document = openapi as OpenapiDocument;
  const guides = loadGuides();
  const operations = operationsOf(document);
  const objects = Object.entries(document.components.schemas);
  const contents = { document, root: document.servers[0]?.url ?? '', guides, operations, objects };
  const pages: SitePage[] = [
    ['/docs', 'Documentation', () => overview(contents)],
    ...guides.map((guide): SitePage => [guidePath(guide), guide.title, () => guidePage(guide)]),
    ...operations.map(
      (located): SitePage => [callPath(located), summaryOf(located), () => operationContent(located, document)],
    ),
    ...objects.map(([name, schema]): SitePage => [objectPath(name), name, () => objectPage(name, schema, document)]),
  ];
  return {
    page(path) {
      const [, title, make] = pages.find(([known]) => known === path) ?? [];
      if (make === undefined) return undefined;
      const body = html`<div class="docs"><aside class="side">${searchBox()}<details class="menu"><summary>Contents</summary>${navigation(path, contents)}</details></aside><main id="main" class="content">${make()}</main></div>`;
      return renderPage(assets, {
        title: `${title} · Toledo`,
        styles: ['reference.css'],
        scripts: ['reference.ts'],
        current: 'docs',
        body,
      });
    },
    markdown: (name) => guides.find((guide) => guide.name === name)?.markdown,
    searchIndex: searchIndex(contents),
    llmsText: llmsText(contents),
  };
}

function guidePath({ name }: Guide): string {
  return `/docs/guides/${name}`;
}

function objectPath(name: string): string {
  return `/docs/objects/${name}`;
}

function callPath({ operation }: LocatedOperation): string {
  return `/docs/api/${operation.operationId}`;
}

function summaryOf({ operation }: LocatedOperation): string {
  return operation.summary ?? '';
}

/** Of one tag. */
function callsOf(tag: string, { operations }: Contents): LocatedOperation[] {
  return operations.filter(({ operation }) => operation.tags?.includes(tag));
}

function searchBox(): Html {
  return html`<search class="search"><label class="visually-hidden" for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="search-results" aria-autocomplete="list">
<kbd aria-hidden="true">/</kbd><ul id="search-results" role="listbox" aria-label="Results" hidden></ul></search>`;
}

function navigation(path: string, contents: Contents): Html {
  const { document, guides, objects } = contents;
  const entry = (href: string, label: Html | string) =>
    html`<li><a href="${href}"${href === path && html` aria-current="page"`}>${label}</a></li>`;
  const call = (located: LocatedOperation) =>
    entry(
      callPath(located),
      html`<b class="method ${located.method.toLowerCase()}">${located.method === 'DELETE' ? 'DEL' : located.method}</b> <span>${summaryOf(located)}</span>`,
    );
  const groups = document.tags
    .map(({ name }) => ({ name, calls: callsOf(name, contents) }))
    .filter(({ calls }) => calls.length > 0);
  return html`<nav aria-label="Documentation"><ul>${entry('/docs', 'Overview')}</ul>
<h2>Guides</h2><ul>${guides.map((guide) => entry(guidePath(guide), guide.title))}</ul>
${groups.map(({ name, calls }) => html`<h2>${name}</h2><ul>${calls.map(call)}</ul>`)}
<h2>Objects</h2><ul>${objects.map(([name]) => entry(objectPath(name), name))}</ul>
<h2>Machine readable</h2><ul>${entry('/api/v1/openapi.json', 'openapi.json')}${entry('/llms.txt', 'llms.txt')}</ul></nav>`;
}

function overview(contents: Contents): Html {
  const { document, root, guides } = contents;
  return html`<h1>${document.info.title} <span class="tag">${document.info.version}</span></h1>
<div class="lead">${paragraphs(document.info.description)}</div>
<p class="base">Base URL <code>${root}/api/v1</code></p>
<h2 id="guides">Guides</h2>
<ul class="cards">${guides.map((guide) => html`<li class="card"><h3><a href="${guidePath(guide)}">${guide.title}</a></h3><p>${guide.answers}</p></li>`)}</ul>
${document.tags.map((tag) => {
  const own = callsOf(tag.name, contents);
  if (own.length === 0) return '';
  return html`<h2 id="${tag.name.toLowerCase()}">${tag.name}</h2><p class="muted">${prose(tag.description)}</p>
<ul class="calls">${own.map(
    (located) =>
      html`<li><b class="method ${located.method.toLowerCase()}">${located.method}</b> <code>${located.path}</code> <a href="${callPath(located)}">${summaryOf(located)}</a></li>`,
  )}</ul>`;
})}
<h2 id="downloads">Client and command line</h2>
<pre tabindex="0"><code>npm install ${root}/downloads/toledo-client.tgz
npm install --global ${root}/downloads/toledo-cli.tgz</code></pre>`;
}

function guidePage(guide: Guide): Html {
  const headings = guide.headings.filter(({ depth }) => depth === 2);
  return html`<article class="guide"><h1>${guide.title}</h1>${
    headings.length > 2 &&
    html`<nav class="on-page" aria-label="On this page"><ul>${headings.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>`
  }${guide.body}<p class="small muted">As Markdown: <a href="${guidePath(guide)}.md">${guide.name}.md</a></p></article>`;
}

function objectPage(name: string, schema: Schema, document: OpenapiDocument): Html {
  const example = JSON.stringify(exampleValue(schema, document.components.schemas), null, 2);
  return html`<article class="operation"><h1>${name}</h1><div class="columns"><div class="text">${paragraphs(schema.description ?? '')}${fieldList(schema, document.components.schemas)}</div>
<div class="samples"><figure class="code"><figcaption>Shape, with every field</figcaption><pre tabindex="0"><code>${example}</code></pre></figure></div></div></article>`;
}

function searchIndex({ guides, operations, objects }: Contents): SearchEntry[] {
  const entry = (kind: SearchEntry['kind'], title: string, url: string, text: string) => ({ title, kind, url, text });
  return [
    ...operations.map((located) => {
      const { operationId, description = '', parameters = [], responses } = located.operation;
      const text = [
        ...[`${located.method} ${located.path}`, operationId, description],
        ...parameters.map(({ name }) => name),
        ...Object.values(responses).map((response) => response.description),
      ];
      return entry('Call', summaryOf(located), callPath(located), text.join(' '));
    }),
    ...guides.flatMap((guide) => [
      entry('Guide', guide.title, guidePath(guide), guide.plain),
      ...guide.headings.map(({ id, text }) =>
        entry('Guide', `${guide.title}: ${text}`, `${guidePath(guide)}#${id}`, text),
      ),
    ]),
    ...Object.entries(errorTable).map(([code, { status, when }]) =>
      entry('Error', `${status} ${code}`, '/docs/guides/errors', when),
    ),
    ...Object.entries(reasonTable).map(([reason, when]) => entry('Error', reason, '/docs/guides/errors#reasons', when)),
    ...objects.map(([name, schema]) =>
      entry('Object', name, objectPath(name), [schema.description ?? '', ...fieldNames(schema, 0)].join(' ')),
    ),
  ];
}

function fieldNames(schema: Schema, depth: number): string[] {
  if (depth > 3) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    name,
    property.description ?? '',
    ...fieldNames(property, depth + 1),
    ...(property.items ? fieldNames(property.items, depth + 1) : []),
  ]);
}

/** For programs that read documentation: https://llmstxt.org describes the form. */
function llmsText({ document, root, guides, operations }: Contents): string {
  return `# ${document.info.title}

> ${document.info.description.replace(/\s*\n+\s*/g, ' ')}

Base URL: ${root}/api/v1

## Guides

${guides.map((guide) => `- [${guide.title}](${root}${guidePath(guide)}.md): ${guide.answers}`).join('\n')}

## Calls

${operations.map((located) => `- [${located.method} ${located.path}](${root}${callPath(located)}): ${summaryOf(located)}`).join('\n')}

## Machine readable

- [openapi.json](${root}/api/v1/openapi.json): the whole interface as OpenAPI 3.1, with examples
- [TypeScript client](${root}/downloads/toledo-client.tgz): \`npm install ${root}/downloads/toledo-client.tgz\`
- [Command line](${root}/downloads/toledo-cli.tgz): \`npm install --global ${root}/downloads/toledo-cli.tgz\`
`;
}
