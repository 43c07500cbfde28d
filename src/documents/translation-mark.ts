/**
 * How a bilingual book tells a translation from its source at sight: by a line beside it, where its lines begin. The texts
 * themselves stay as they are.
 *
 * EPUB, HTML: a class with a border. DOCX, ODT: a border of the paragraph; grey in a heading, which holds both languages, and in a cell of Word. Markdown: a block
 * quote, which programs show with such a line. Plain text: the mark of that quote. FB2: emphasis, the only look that every
 * program for the format has.
 */
import { isRightToLeft } from '../language/languages.ts';

/** On every translation of a bilingual page. */
export const translationClass = 'toledo-translation';

/** Before every line of a translation in Markdown and plain text. */
export const quoteMark = '> ';

/** Grey that can be read on paper and on a screen. */
export const besideColour = '595959';

export type Side = 'left' | 'right';

/** The side of the line. */
export function markSide(targetLang: string): Side {
  return isRightToLeft(targetLang) ? 'right' : 'left';
}
