/** Writes a translated text with tags as markup, with the tags of the source. */
import { escapeText } from '../../escape.ts';
import { tokenizeInline } from '../../inline-tags.ts';
import { projectTags } from '../../project-tags.ts';
import type { Rendered } from '../flow/render-flow.ts';
import type { Edits } from '../markup/edits.ts';
import type { MarkupElement } from '../markup/markup.ts';
import type { PageBlock } from './inline.ts';
import type { InlineTag } from './inline-writer.ts';

export interface RenderOptions {
  /** What was translated: the text of the block, or the part a character limit left of it. */
  source: string;
  /** A second copy of the block: it must repeat no id. */
  isCopy: boolean;
  /** Changes the start tags that are copied, such as their language. */
  retag: (tag: string) => string;
}

/** `edits` holds the changes that apply to all tags of the page, such as links that lead nowhere any more. */
export function renderBlock(block: PageBlock, translation: string, edits: Edits, options: RenderOptions): Rendered {
  const repaired = projectTags(options.source, translation);
  const parts: string[] = [];
  for (const token of tokenizeInline(repaired.text)) {
    if (token.kind === 'text') {
      parts.push(renderText(token.text, block.lineBreak));
      continue;
    }
    const tag = block.tags[token.number - 1];
    if (tag === undefined) continue;
    if (tag.kind === 'literal') parts.push(escapeText(tag.text));
    else if (tag.kind === 'range') parts.push(renderRange(tag, edits, options.isCopy));
    else if (token.kind === 'open') parts.push(options.retag(copyTag(openTag(tag.element, edits), options.isCopy)));
    else parts.push(closeTag(tag.element, edits.source));
  }
  return { markup: parts.join(''), repairs: repaired.repairs };
}

/** The start tag without what may stand only once in a document. */
export function copyTag(tag: string, isCopy: boolean): string {
  return isCopy ? tag.replace(/\s(?:id|xml:id|name)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>/]+)/gi, '') : tag;
}

export function openTag(element: MarkupElement, edits: Edits): string {
  return edits.slice(element.start, element.openEnd);
}

export function closeTag(element: MarkupElement, source: string): string {
  const written = source.slice(element.closeStart, element.end);
  return written === '' ? `</${element.name}>` : written;
}

function renderText(text: string, lineBreak: string | undefined): string {
  const escaped = escapeText(text);
  return escaped.includes('\n') ? escaped.replaceAll('\n', lineBreak ?? ' ') : escaped;
}

function renderRange(tag: InlineTag & { kind: 'range' }, edits: Edits, isCopy: boolean): string {
  const markup = edits.slice(tag.start, tag.end);
  if (!isCopy) return markup;
  // Page marks and link targets have served in the first copy; pictures and references are needed in both.
  return /<(?:\w+:)?(?:img|svg|math|image|object)\b|\shref\s*=/i.test(markup) ? copyTag(markup, true) : '';
}
