/** Style rules that turn a page to the direction of its new language, and tell source and translation apart. */
import type { WriteOptions } from '../document.ts';
import { markSide, type Side, translationClass } from '../translation-mark.ts';
import { directionOf, isVerticalScript } from './language-marks.ts';

/** Undefined when the style sheets need no answer. `css` is all style text that applies to the page. */
export function adaptingCss(css: string, options: WriteOptions): string | undefined {
  const rules: string[] = [];
  if (!isVerticalScript(options.targetLang) && /writing-mode\s*:\s*(vertical|tb)/i.test(css)) {
    const horizontal = ['-epub-writing-mode', '-webkit-writing-mode', 'writing-mode'];
    const lines = horizontal.map((name) => `${name}: horizontal-tb !important`).join('; ');
    rules.push(`html, body, body * { ${lines}; }`);
  }
  const direction = directionOf(options.targetLang);
  const turns = direction !== directionOf(options.sourceLang);
  if (turns && options.variant === 'translated' && /[^-\w]direction\s*:\s*(rtl|ltr)/i.test(css)) {
    rules.push(`html, body, body * { direction: ${direction} !important; }`);
  }
  if (options.variant === 'bilingual') rules.push(translationRule(markSide(options.targetLang)));
  return rules.length === 0 ? undefined : rules.join(' ');
}

/** A line beside it, in the text's colour, so it is seen by night too. No indent: books that indent have no space between paragraphs. */
function translationRule(side: Side): string {
  const line = `border-${side}: 0.15em solid; padding-${side}: 0.6em !important`;
  return `.${translationClass} { ${line}; text-indent: 0 !important; margin-top: 0.3em !important; margin-bottom: 0.9em !important; }`;
}

/**
 * Alignment in a text that turns from right-to-left to left-to-right or back: what began at the right begins at the left.
 * A Hebrew novel says `text-align: right` of every paragraph, and its English translation must not.
 */
export function turnsAround({ sourceLang, targetLang, variant }: WriteOptions): boolean {
  return variant === 'translated' && directionOf(sourceLang) !== directionOf(targetLang);
}

/** Style rules with left and right exchanged in every alignment. */
export function turnCss(css: string): string {
  return css.replace(
    /(text-align(?:-last)?\s*:\s*)(left|right)/gi,
    (_, property: string, side: string) => property + otherSide(side),
  );
}

export function otherSide(side: string): string {
  return side.toLowerCase() === 'left' ? 'right' : 'left';
}
