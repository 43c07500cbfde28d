/** `xml:lang` and `dir` of elements outside the pages. */
import type { WriteOptions } from '../document.ts';
import { directionOf, isSameLanguage } from '../html/language-marks.ts';
import type { Edits } from '../markup/edits.ts';
import type { MarkupElement } from '../markup/markup.ts';

/** An element that names the source language names the target language; none is added. */
export function languageOfElement(element: MarkupElement, edits: Edits, options: WriteOptions): void {
  for (const name of ['xml:lang', 'lang']) {
    const value = element.attributes[name];
    if (value !== undefined && isSameLanguage(value, options.sourceLang)) {
      edits.setAttribute(element, name, options.targetLang);
    }
  }
  const { dir } = element.attributes;
  if (dir === directionOf(options.sourceLang)) edits.setAttribute(element, 'dir', directionOf(options.targetLang));
}
