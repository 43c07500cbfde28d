/** Inline tags as markup that translation services carry: `<1>…</1>` as an element with a number, text escaped. */
import { escapeText } from '../../escape.ts';
import { inlineTagsNest, inlineTagsOf, tokenizeInline } from '../../inline-tags.ts';

export interface MarkupStyle {
  open(number: number): string;
  close(number: number): string;
  standalone(number: number): string;
  /** Matches any of the three; the groups `close`, `number` and `alone` tell which. */
  pattern: RegExp;
}

/** For services that read XML: any element will do. */
export const xmlStyle: MarkupStyle = {
  open: (number) => `<t${number}>`,
  close: (number) => `</t${number}>`,
  standalone: (number) => `<t${number}/>`,
  pattern: /<(?<close>\/)?t(?<number>\d{1,6})\s*(?<alone>\/)?>/g,
};

/** For services that read HTML: known elements, told apart by an attribute. Closing tags belong to the last opened. */
export const htmlStyle: MarkupStyle = {
  open: (number) => `<span id="t${number}">`,
  close: () => '</span>',
  standalone: (number) => `<img id="t${number}">`,
  pattern: /<(?<close>\/)?(?:span|(?<alone>img))(?:\s+id="t(?<number>\d{1,6})")?\s*\/?>/g,
};

export function toMarkup(text: string, style: MarkupStyle): string {
  return tokenizeInline(text)
    .map((token) => (token.kind === 'text' ? escapeText(token.text) : style[token.kind](token.number)))
    .join('');
}

/** The text with its tags; without any when the service lost, invented or crossed some. */
export function fromMarkup(markup: string, source: string, style: MarkupStyle): string {
  const open: string[] = [];
  const tagged = markup.replace(style.pattern, (...match) => {
    const { close, alone, ...tag } = match.at(-1) as Record<string, string | undefined>;
    // No tag of ours is 0: one without a number is invented.
    const number = tag.number ?? (close && open.pop()) ?? '0';
    if (alone !== undefined) return `<${number}/>`;
    if (close !== undefined) return `</${number}>`;
    open.push(number);
    return `<${number}>`;
  });
  const text = unescapeText(tagged);
  const whole = inlineTagsOf(text).join() === inlineTagsOf(source).join() && inlineTagsNest(text);
  return whole ? text : unescapeText(tagged.replace(/<\/?\w+\/?>/g, ''));
}

function unescapeText(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|apos|#39|#x27|nbsp);/g, (entity) => entities[entity] ?? entity);
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&#x27;': "'",
  '&nbsp;': '\u00a0',
};
