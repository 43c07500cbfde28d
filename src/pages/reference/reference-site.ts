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

export function referenceSite(openapi: object, assets: PageAssets): ReferenceSite {
  const document = openapi as OpenapiDocument;
  const guides = loadGuides();
  const operations = operationsOf(document);
  const objects = Object.entries(document.components.schemas);
  const contents = new Map<string, { title: string; make: () => Html }>([
    ['/docs', { title: 'Documentation', make: () => overview(document, guides, operations) }],
    ...guides.map(
      (guide) => [`/docs/guides/${guide.name}`, { title: guide.title, make: () => guidePage(guide) }] as const,
    ),
    ...operations.map(
      (located) =>
        [
          callPath(located),
          { title: located.operation.summary ?? '', make: () => operationContent(located, document) },
        ] as const,
    ),
    ...objects.map(
      ([name, schema]) =>
        [`/docs/objects/${name}`, { title: name, make: () => objectPage(name, schema, document) }] as const,
    ),
  ]);
  const rendered = new Map<string, string>();
  return {
    page(path) {
      const content = contents.get(path);
      if (content === undefined) return undefined;
      const known = rendered.get(path);
      if (known !== undefined) return known;
      const nav = navigation(path, document, guides, operations, objects);
      const body = html`<div class="docs"><aside class="side">${searchBox()}<details class="menu"><summary>Contents</summary>${nav}</details></aside><main id="main" class="content">${content.make()}</main></div>`;
      const page = renderPage(assets, {
        title: `${content.title} · Toledo`,
        styles: ['reference.css'],
        scripts: ['reference.ts'],
        current: 'docs',
        body,
      });
      rendered.set(path, page);
      return page;
    },
    markdown: (name) => guides.find((guide) => guide.name === name)?.markdown,
    searchIndex: searchIndex(document, guides, operations, objects),
    llmsText: llmsText(document, guides, operations),
  };
}

function callPath({ operation }: LocatedOperation): string {
  return `/docs/api/${operation.operationId}`;
}

function searchBox(): Html {
  return html`<search class="search"><label class="visually-hidden" for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="search-results" aria-autocomplete="list">
<kbd aria-hidden="true">/</kbd><ul id="search-results" role="listbox" aria-label="Results" hidden></ul></search>`;
}

function navigation(
  path: string,
  document: OpenapiDocument,
  guides: readonly Guide[],
  operations: readonly LocatedOperation[],
  objects: readonly [string, Schema][],
): Html {
  const entry = (href: string, label: Html | string) =>
    html`<li><a href="${href}"${href === path && html` aria-current="page"`}>${label}</a></li>`;
  const groups = document.tags.map((tag) => ({
    name: tag.name,
    items: operations.filter(({ operation }) => operation.tags?.includes(tag.name)),
  }));
  return html`<nav aria-label="Documentation"><ul>${entry('/docs', 'Overview')}</ul>
<h2>Guides</h2><ul>${guides.map((guide) => entry(`/docs/guides/${guide.name}`, guide.title))}</ul>
${groups
  .filter(({ items }) => items.length > 0)
  .map(
    ({ name, items }) =>
      html`<h2>${name}</h2><ul>${items.map((located) =>
        entry(
          callPath(located),
          html`<b class="method ${located.method.toLowerCase()}">${located.method === 'DELETE' ? 'DEL' : located.method}</b> <span>${located.operation.summary ?? ''}</span>`,
        ),
      )}</ul>`,
  )}
<h2>Objects</h2><ul>${objects.map(([name]) => entry(`/docs/objects/${name}`, name))}</ul>
<h2>Machine readable</h2><ul>${entry('/api/v1/openapi.json', 'openapi.json')}${entry('/llms.txt', 'llms.txt')}</ul></nav>`;
}

function overview(document: OpenapiDocument, guides: readonly Guide[], operations: readonly LocatedOperation[]): Html {
  const root = document.servers[0]?.url ?? '';
  return html`<h1>${document.info.title} <span class="tag">${document.info.version}</span></h1>
<div class="lead">${paragraphs(document.info.description)}</div>
<p class="base">Base URL <code>${root}/api/v1</code></p>
<h2 id="guides">Guides</h2>
<ul class="cards">${guides.map((guide) => html`<li class="card"><h3><a href="/docs/guides/${guide.name}">${guide.title}</a></h3><p>${guide.answers}</p></li>`)}</ul>
${document.tags.map((tag) => {
  const own = operations.filter(({ operation }) => operation.tags?.includes(tag.name));
  if (own.length === 0) return '';
  return html`<h2 id="${tag.name.toLowerCase()}">${tag.name}</h2><p class="muted">${prose(tag.description)}</p>
<ul class="calls">${own.map(
    (located) =>
      html`<li><b class="method ${located.method.toLowerCase()}">${located.method}</b> <code>${located.path}</code> <a href="${callPath(located)}">${located.operation.summary ?? ''}</a></li>`,
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
  }${guide.body}<p class="small muted">As Markdown: <a href="/docs/guides/${guide.name}.md">${guide.name}.md</a></p></article>`;
}

function objectPage(name: string, schema: Schema, document: OpenapiDocument): Html {
  const example = JSON.stringify(exampleValue(schema, document.components.schemas), null, 2);
  return html`<article class="operation"><h1>${name}</h1><div class="columns"><div class="text">${paragraphs(schema.description ?? '')}${fieldList(schema, document.components.schemas)}</div>
<div class="samples"><figure class="code"><figcaption>Shape, with every field</figcaption><pre tabindex="0"><code>${example}</code></pre></figure></div></div></article>`;
}

function searchIndex(
  document: OpenapiDocument,
  guides: readonly Guide[],
  operations: readonly LocatedOperation[],
  objects: readonly [string, Schema][],
): SearchEntry[] {
  return [
    ...operations.map((located) => ({
      title: located.operation.summary ?? '',
      kind: 'Call' as const,
      url: callPath(located),
      text: [
        `${located.method} ${located.path}`,
        located.operation.operationId,
        located.operation.description ?? '',
        ...(located.operation.parameters ?? []).map(({ name }) => name),
        ...Object.values(located.operation.responses).map(({ description }) => description),
      ].join(' '),
    })),
    ...guides.flatMap((guide) => [
      { title: guide.title, kind: 'Guide' as const, url: `/docs/guides/${guide.name}`, text: guide.plain },
      ...guide.headings.map(({ id, text }) => ({
        title: `${guide.title}: ${text}`,
        kind: 'Guide' as const,
        url: `/docs/guides/${guide.name}#${id}`,
        text,
      })),
    ]),
    ...Object.entries(errorTable).map(([code, { status, when }]) => ({
      title: `${status} ${code}`,
      kind: 'Error' as const,
      url: '/docs/guides/errors',
      text: when,
    })),
    ...Object.entries(reasonTable).map(([reason, when]) => ({
      title: reason,
      kind: 'Error' as const,
      url: '/docs/guides/errors#reasons',
      text: when,
    })),
    ...objects.map(([name, schema]) => ({
      title: name,
      kind: 'Object' as const,
      url: `/docs/objects/${name}`,
      text: [schema.description ?? '', ...fieldNames(schema, document, 0)].join(' '),
    })),
  ];
}

function fieldNames(schema: Schema, document: OpenapiDocument, depth: number): string[] {
  if (depth > 3) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    name,
    property.description ?? '',
    ...fieldNames(property, document, depth + 1),
    ...(property.items ? fieldNames(property.items, document, depth + 1) : []),
  ]);
}

/** For programs that read documentation: https://llmstxt.org describes the form. */
function llmsText(
  document: OpenapiDocument,
  guides: readonly Guide[],
  operations: readonly LocatedOperation[],
): string {
  const root = document.servers[0]?.url ?? '';
  return `# ${document.info.title}

> ${document.info.description.replace(/\s*\n+\s*/g, ' ')}

Base URL: ${root}/api/v1

## Guides

${guides.map((guide) => `- [${guide.title}](${root}/docs/guides/${guide.name}.md): ${guide.answers}`).join('\n')}

## Calls

${operations.map((located) => `- [${located.method} ${located.path}](${root}${callPath(located)}): ${located.operation.summary ?? ''}`).join('\n')}

## Machine readable

- [openapi.json](${root}/api/v1/openapi.json): the whole interface as OpenAPI 3.1, with examples
- [TypeScript client](${root}/downloads/toledo-client.tgz): \`npm install ${root}/downloads/toledo-client.tgz\`
- [Command line](${root}/downloads/toledo-cli.tgz): \`npm install --global ${root}/downloads/toledo-cli.tgz\`
`;
}
