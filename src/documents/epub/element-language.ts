/** `xml:lang` and `dir` of elements outside the pages. */
import type { WriteOptions } from '../document.ts';
import { directionOf, retagLanguage } from '../html/language-marks.ts';
import type { Edits } from '../markup/edits.ts';
import type { MarkupElement } from '../markup/markup.ts';

export function languageOfElement(element: MarkupElement, edits: Edits, options: WriteOptions): void {
  const { sourceLang, targetLang } = options;
  retagLanguage(element, edits, sourceLang, targetLang);
  if (element.attributes.dir === directionOf(sourceLang)) edits.setAttribute(element, 'dir', directionOf(targetLang));
}
