/** The guides for partners: the Markdown pages that docs/README.md lists for them, in its order. */
import { readFileSync } from 'node:fs';
import { type RenderedMarkdown, renderMarkdown } from './markdown.ts';

export interface Guide extends RenderedMarkdown {
  name: string;
  /** One line on what it answers. */
  answers: string;
  markdown: string;
}

const docs = new URL('../../../docs/', import.meta.url);

export function loadGuides(): Guide[] {
  const contents = readFileSync(new URL('README.md', docs), 'utf8');
  const partners = contents.split(/^## /m).find((part) => part.startsWith('For partners')) ?? '';
  const rows = [...partners.matchAll(/^\| \[[^\]]+\]\(api\/([\w-]+)\.md\) \| (.+) \|$/gm)];
  const names = new Set(rows.map(([, name]) => name));
  return rows.map(([, name = '', answers = '']) => {
    const markdown = readFileSync(new URL(`api/${name}.md`, docs), 'utf8');
    const page = renderMarkdown(markdown, (target) => siteLink(target, names));
    return { ...page, name, answers: answers.replaceAll('`', ''), markdown };
  });
}

/** Guides link each other by file; pages for operators and source files are not part of the site. */
function siteLink(target: string, names: ReadonlySet<string | undefined>): string | undefined {
  if (/^(https?:\/\/|#|\/)/.test(target)) return target;
  const [, name, anchor = ''] = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(target) ?? [];
  return names.has(name) && name !== undefined ? `/docs/guides/${name}${anchor}` : undefined;
}
