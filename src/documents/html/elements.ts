/** What HTML elements are to a translator: lines of their own, part of a line, or no text at all. */
import type { SkipReason } from '../document.ts';
import type { MarkupElement, MarkupNode } from '../markup/markup.ts';

/** Everything else, known or not, is inline unless it holds one of these: the rule of CSS, so no text is ever lost. */
const blockNames = new Set(
  (
    'html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer ' +
    'form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav noframes ol optgroup option p pre search section ' +
    'select summary table caption colgroup col thead tbody tfoot tr td th ul head title'
  ).split(' '),
);

const skippedNames = new Map<string, SkipReason>([
  ['script', 'code'],
  ['style', 'code'],
  ['svg', 'markup'],
  ['math', 'markup'],
  ['template', 'hidden'],
  ['noscript', 'hidden'],
  ['iframe', 'hidden'],
  ['audio', 'hidden'],
  ['video', 'hidden'],
  ['canvas', 'hidden'],
  ['rt', 'ruby-annotation'],
  ['rp', 'ruby-annotation'],
  ['rtc', 'ruby-annotation'],
]);

/** The prefix of `svg:svg`, `m:math` or `xhtml:p` says nothing about the role. */
export function roleName(element: MarkupElement): string {
  const colon = element.name.indexOf(':');
  return colon < 0 ? element.name : element.name.slice(colon + 1);
}

export function childOfRole(element: MarkupElement, role: 'head' | 'body'): MarkupElement | undefined {
  return element.children.find((child): child is MarkupElement => child.kind === 'element' && roleName(child) === role);
}

/** XML allows a break with words in it, which must not be lost: that is an element like any other. */
export function isLineBreak(node: MarkupNode | undefined): boolean {
  if (node?.kind !== 'element' || roleName(node) !== 'br') return false;
  return node.children.every((child) => child.kind === 'text' && child.text.trim() === '');
}

export function isBlockElement(element: MarkupElement): boolean {
  if (blockNames.has(roleName(element))) return true;
  // A break that is styled as a block ends a line all the same, and counts as one character.
  const style = isLineBreak(element) ? undefined : element.attributes.style;
  return style !== undefined && /display\s*:\s*(block|list-item|table|flex|grid)/i.test(style);
}

/** The reason why nothing inside is translated; undefined for ordinary elements. */
export function skipReasonOf(element: MarkupElement): SkipReason | undefined {
  const reason = skippedNames.get(roleName(element));
  if (reason !== undefined) return reason;
  const { hidden, style, translate, class: classes } = element.attributes;
  if (classes !== undefined && /(?:^|\s)pg-boilerplate(?:\s|$)/.test(classes)) return 'boilerplate';
  if (hidden !== undefined || (style !== undefined && /display\s*:\s*none/i.test(style))) return 'hidden';
  return translate === 'no' ? 'markup' : undefined;
}

const noTypes: readonly string[] = [];

export function typesOf(element: MarkupElement): readonly string[] {
  const { 'epub:type': type = '', role = '' } = element.attributes;
  if (type === '' && role === '') return noTypes;
  return `${type} ${role}`.split(/\s+/).filter((word) => word !== '');
}

const noteTypes = new Set(['footnote', 'endnote', 'rearnote', 'note', 'doc-footnote', 'doc-endnote']);

export function isNote(element: MarkupElement): boolean {
  return typesOf(element).some((type) => noteTypes.has(type));
}

/** A number, a letter or signs in brackets: what stands for a footnote in the running text. */
const markerPattern =
  /^[\s([{（［【〔*†‡§¶‖※注#^↑↩⤴]*(\p{N}{1,4}|[a-z]|[ivxlc]{1,7})?[\s)\]}）］】〕.:*†‡§¶‖※^↑↩⤴]*$/iu;

/** True for a reference such as `<sup><a href="#n1">1</a></sup>`, and for a page number in the margin. */
export function isMarker(element: MarkupElement, text: string): boolean {
  if (text.length > 12) return false;
  const types = typesOf(element);
  const isPageNumber =
    types.some((type) => type.includes('pagebreak')) ||
    /\bpage-?(num|no|number)s?\b/i.test(element.attributes.class ?? '');
  if (isPageNumber && /^\P{L}*(p|pg|page)?\P{L}*([ivxlc]{1,7}\P{L}*)?$/iu.test(text)) return true;
  // U+FE0E only asks for the plain form of an arrow.
  if (!markerPattern.test(text.replaceAll('\ufe0e', ''))) return false;
  if (types.some((type) => /noteref|backlink/.test(type))) return true;
  if (text.trim() === '') return false;
  // Without a link only digits and signs are sure to be a mark: `<sup>1</sup>`, or a link whose note is not there.
  const hasLetters = /\p{L}/u.test(text);
  const isLinked = element.name === 'a' && element.attributes.href?.includes('#') === true && !/^\s*I\s*$/i.test(text);
  if (isLinked || (!hasLetters && (element.name === 'sup' || element.name === 'a'))) return true;
  const inner = element.children.filter((child) => child.kind === 'element' || child.text.trim() !== '');
  const only = inner.length === 1 ? inner[0] : undefined;
  return only?.kind === 'element' && isMarker(only, text);
}
