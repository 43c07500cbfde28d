import { assembleDocument } from '../assemble-document.ts';
import type { ReadOptions, ReadResult } from '../document.ts';
import { flowSections } from '../flow/flow-part.ts';
import { openMarkdown } from './markdown-source.ts';

/** @throws BAD_REQUEST NOT_TEXT, UNREADABLE_ENCODING */
export function readMarkdown(bytes: Uint8Array, options: ReadOptions): ReadResult {
  const source = openMarkdown(bytes);
  const sections = flowSections(source.blocks);
  const field = (name: string) => frontMatterField(source.frontMatter, name);
  const facts = {
    format: 'markdown' as const,
    encoding: source.encoding,
    title: field('title') ?? (source.blocks[0]?.level === 1 ? sections[0]?.title : undefined),
    author: field('author'),
    declaredLanguage: field('lang') ?? field('language'),
    writingMode: 'horizontal' as const,
    hasRuby: source.blocks.some(({ ruby = [] }) => ruby.length > 0),
    imageCount: source.imageCount,
    textCharacters: source.textCharacters,
  };
  return { document: assembleDocument(facts, sections, source.skipped, options.charLimit), warnings: source.warnings };
}

/** Plain `key: value` lines of YAML or TOML; anything richer is left alone. */
function frontMatterField(frontMatter: string, name: string): string | undefined {
  const line = new RegExp(`^${name}\\s*[:=]\\s*(.+)$`, 'im').exec(frontMatter)?.[1]?.trim();
  return line?.replace(/^(["'])(.*)\1$/, '$2') || undefined;
}
