/** The guides' Markdown as HTML. Our own pages are the input, and still everything in them is escaped. */
import type { Code, Nodes, RootContent, Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { codeWord, type Html, html, join, trusted } from '../html.ts';
import { codeTabs } from './code-tabs.ts';

export interface RenderedMarkdown {
  title: string;
  body: Html;
  headings: { id: string; text: string; depth: number }[];
  /** Without markup, for the search. */
  plain: string;
}

/** @param link where a link of the text leads on the site; undefined = it is shown as text */
export function renderMarkdown(source: string, link: (target: string) => string | undefined): RenderedMarkdown {
  const tree = fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const headings: RenderedMarkdown['headings'] = [];
  const render = (node: Nodes): Html => rendered(node, { link, headings, render });
  const first = tree.children[0];
  const title = first?.type === 'heading' ? plainText(first) : '';
  const rest: RootContent[] = title === '' ? tree.children : tree.children.slice(1);
  const body = withTabs(rest).map((part) =>
    Array.isArray(part) ? codeTabs(part.map(asSample), 'Sample') : render(part),
  );
  return { title, body: join(body, '\n'), headings, plain: plainText(tree) };
}

/** Languages that stand in tabs where they follow each other. */
const tabTitles: Readonly<Record<string, string>> = { sh: 'curl', ts: 'TypeScript', python: 'Python' };

function asSample({ lang, value }: Code): { title: string; code: string } {
  return { title: tabTitles[lang ?? ''] ?? '', code: value };
}

/** The same sample in several languages, one directly behind the other, becomes one group. */
function withTabs(nodes: readonly RootContent[]): (RootContent | Code[])[] {
  const parts: (RootContent | Code[])[] = [];
  for (const node of nodes) {
    const last = parts.at(-1);
    const group = Array.isArray(last) ? last : last?.type === 'code' ? [last] : [];
    const isNext = node.type === 'code' && Object.hasOwn(tabTitles, node.lang ?? '') && group.length > 0;
    if (isNext && group.every(({ lang }) => lang !== node.lang && Object.hasOwn(tabTitles, lang ?? '')))
      parts.splice(-1, 1, [...group, node]);
    else parts.push(node);
  }
  return parts;
}

interface Context {
  link: (target: string) => string | undefined;
  headings: RenderedMarkdown['headings'];
  render: (node: Nodes) => Html;
}

function rendered(node: Nodes, context: Context): Html {
  const children = (): Html => ('children' in node ? join(node.children.map(context.render)) : html``);
  switch (node.type) {
    case 'text':
      return html`${node.value}`;
    case 'paragraph':
      return html`<p>${children()}</p>`;
    case 'heading': {
      const text = plainText(node);
      const id = slug(text);
      context.headings.push({ id, text, depth: node.depth });
      const level = trusted(`h${Math.min(node.depth, 4)}`);
      return html`<${level} id="${id}">${children()}</${level}>`;
    }
    case 'strong':
      return html`<strong>${children()}</strong>`;
    case 'emphasis':
      return html`<em>${children()}</em>`;
    case 'inlineCode':
      return html`<code>${codeWord(node.value)}</code>`;
    case 'code':
      return html`<div class="code" data-copy><pre tabindex="0"><code>${node.value}</code></pre></div>`;
    case 'list': {
      const items = node.children.map((item) => html`<li>${tightened(item, context)}</li>`);
      return node.ordered ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
    }
    case 'link': {
      const href = context.link(node.url);
      return href === undefined ? children() : html`<a href="${href}">${children()}</a>`;
    }
    case 'table':
      return table(node, context);
    case 'blockquote':
      return html`<blockquote>${children()}</blockquote>`;
    case 'thematicBreak':
      return html`<hr>`;
    case 'break':
      return html`<br>`;
    case 'html':
      return html``;
    default:
      return children();
  }
}

/** An item of one paragraph needs no paragraph of its own. */
function tightened(item: { children: RootContent[] }, { render }: Context): Html {
  const [only, ...others] = item.children;
  if (only?.type === 'paragraph' && others.every(({ type }) => type === 'list'))
    return join([...only.children.map(render), ...others.map(render)]);
  return join(item.children.map(render));
}

function table({ children: [head, ...rows] }: Table, { render }: Context): Html {
  const cells = (row: Table['children'][number] | undefined, tag: 'th' | 'td'): Html[] =>
    (row?.children ?? []).map((cell) => {
      const content = join(cell.children.map(render));
      return tag === 'th' ? html`<th scope="col">${content}</th>` : html`<td>${content}</td>`;
    });
  return html`<div class="scroll-x" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${cells(head, 'th')}</tr></thead><tbody>${rows.map((row) => html`<tr>${cells(row, 'td')}</tr>`)}</tbody></table></div>`;
}

function plainText(node: Nodes): string {
  if ('value' in node) return node.value;
  if (!('children' in node)) return '';
  const blocks = node.type === 'root' || node.type === 'list' || node.type === 'table' || node.type === 'tableRow';
  return node.children.map(plainText).join(blocks ? ' ' : '');
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}
