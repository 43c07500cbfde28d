import type { MarkupElement } from '../markup/markup.ts';
import type { InlineRun } from './inline.ts';

const italicNames: ReadonlySet<string> = new Set(['i', 'em', 'cite', 'dfn', 'var']);

/** By the element or its own style; what a style sheet makes of a class is not looked up, but a class may say it. */
function isItalic({ name, attributes }: MarkupElement): boolean {
  if (/font-style\s*:\s*normal/i.test(attributes.style ?? '')) return false;
  return (
    italicNames.has(name) ||
    /font-style\s*:\s*(?:italic|oblique)/i.test(attributes.style ?? '') ||
    /\bitalics?\b/i.test(attributes.class ?? '')
  );
}

/** The numbers of the tags that are italics, 0 for the whole text. */
export function italicTags({ tags, shells }: Pick<InlineRun, 'tags' | 'shells'>): number[] {
  const inside = tags.flatMap((tag, i) => (tag.kind === 'element' && isItalic(tag.element) ? [i + 1] : []));
  return shells.some(isItalic) ? [0, ...inside] : inside;
}
