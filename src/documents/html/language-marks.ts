/** `lang`, `xml:lang` and `dir` by the dialect of the page. */
import { escapeAttribute } from '../../escape.ts';
import { isRightToLeft, scriptOf } from '../../language/languages.ts';
import type { WriteOptions } from '../document.ts';
import type { Edits } from '../markup/edits.ts';
import type { MarkupElement } from '../markup/markup.ts';

/** XHTML 1.1 (EPUB 2) knows `xml:lang` only, HTML `lang` only, the XHTML of EPUB 3 wants both and equal. */
export type Dialect = 'html' | 'xhtml5' | 'xhtml11';

export function languageAttributes(tag: string, dialect: Dialect): [string, string][] {
  if (dialect === 'html') return [['lang', tag]];
  if (dialect === 'xhtml11') return [['xml:lang', tag]];
  return [
    ['lang', tag],
    ['xml:lang', tag],
  ];
}

export function directionOf(tag: string): 'rtl' | 'ltr' {
  return isRightToLeft(tag) ? 'rtl' : 'ltr';
}

/** Scripts in which books are also set in vertical lines, and paragraphs indented with an ideographic space. */
export function isVerticalScript(tag: string): boolean {
  return ['Hans', 'Hant', 'Jpan'].includes(scriptOf(tag));
}

/** `en-GB` and `en` name the same language; so do `zh` and `zh-Hant` for this purpose. */
export function isSameLanguage(a: string, b: string): boolean {
  return primarySubtag(a) === primarySubtag(b);
}

/** An element that names the source language names the target language; none is added. */
export function retagLanguage(element: MarkupElement, edits: Edits, sourceLang: string, targetLang: string): void {
  for (const name of ['lang', 'xml:lang']) {
    const value = element.attributes[name];
    if (value !== undefined && isSameLanguage(value, sourceLang)) edits.setAttribute(element, name, targetLang);
  }
}

/** A start tag with these attributes instead of those it had. */
export function withAttributes(tag: string, attributes: readonly [string, string][]): string {
  let bare = tag;
  for (const [name] of attributes) {
    bare = bare.replace(new RegExp(`\\s${name}\\s*=\\s*(?:"[^"]*"|'[^']*'|[^\\s"'>/]+)`, 'i'), '');
  }
  const nameEnd = /^<[^\s/>]+/.exec(bare)?.[0].length ?? 0;
  const added = attributes.map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`).join('');
  return bare.slice(0, nameEnd) + added + bare.slice(nameEnd);
}

function primarySubtag(tag: string): string {
  return tag.trim().split(/[-_]/)[0]?.toLowerCase() ?? '';
}

/** `xml:lang` and `dir` of elements outside the pages. */
export function languageOfElement(element: MarkupElement, edits: Edits, options: WriteOptions): void {
  const { sourceLang, targetLang } = options;
  retagLanguage(element, edits, sourceLang, targetLang);
  if (element.attributes.dir === directionOf(sourceLang)) edits.setAttribute(element, 'dir', directionOf(targetLang));
}
