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
