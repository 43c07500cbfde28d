/** Which parts of a text a reader shows in italics. */
import type { MarkupElement } from '../markup/markup.ts';
import type { PageBlock } from './inline.ts';

const italicNames: ReadonlySet<string> = new Set(['i', 'em', 'cite', 'dfn', 'var']);
const maxCssLength = 1_000_000;

/** The classes that style sheets make italic by themselves, as `.thought` or `span.thought`; longer selectors are not looked up. */
export function italicClasses(css: string): ReadonlySet<string> {
  const classes = new Set<string>();
  // Cut by cut and not by one pattern: a hostile sheet must not send each of its brackets to the end.
  const bare = css
    .slice(0, maxCssLength)
    .split('*/')
    .map((part) => part.split('/*', 1)[0]);
  for (const rule of bare.join('').split('}')) {
    const [selectors = '', lines = ''] = rule.split('{');
    if (!/font-style\s*:\s*(?:italic|oblique)/i.test(lines)) continue;
    for (const selector of selectors.split(',')) {
      const name = /^(?:[a-z]\w*)?\.([\w-]+)$/i.exec(selector.trim())?.[1];
      if (name !== undefined) classes.add(name);
    }
  }
  return classes;
}

export type IsItalicClass = (name: string) => boolean;

function isItalic({ name, attributes }: MarkupElement, isItalicClass: IsItalicClass): boolean {
  if (/font-style\s*:\s*normal/i.test(attributes.style ?? '')) return false;
  return (
    italicNames.has(name) ||
    /font-style\s*:\s*(?:italic|oblique)/i.test(attributes.style ?? '') ||
    /\bitalics?\b/i.test(attributes.class ?? '') ||
    (attributes.class ?? '').split(/\s+/).some(isItalicClass)
  );
}

/** The numbers of the tags that are italics, 0 for the whole text. */
export function italicTags(
  { tags, shells, container, place }: Pick<PageBlock, 'tags' | 'shells' | 'container' | 'place'>,
  isItalicClass: IsItalicClass,
): number[] {
  const inside = tags.flatMap((tag, i) =>
    tag.kind === 'element' && isItalic(tag.element, isItalicClass) ? [i + 1] : [],
  );
  const isWhole = [...shells, ...(place === undefined ? [container] : [])].some((each) =>
    isItalic(each, isItalicClass),
  );
  return isWhole ? [0, ...inside] : inside;
}
