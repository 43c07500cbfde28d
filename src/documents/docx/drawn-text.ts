/** The text of charts and diagrams: paragraphs of shapes and titles, and the names of series and categories. */
import { escapeAttribute, escapeText } from '../../escape.ts';
import { countCharacters } from '../document.ts';
import { type Item, voidItem } from '../flow/inline-items.ts';
import type { FlowDialect } from '../flow/render-flow.ts';
import { childElements, countTextWith, type MarkupElement, textOf } from '../markup/markup.ts';
import type { SkipTally } from '../skip-tally.ts';
import { commonestStyle, merge, type Piece, voidStyle } from './run-pieces.ts';

/** What a chart shows of its table is in `c:v`, and in `cx:v` and `cx:pt` of the newer kinds; only words are translated. */
export function isDrawnText(element: MarkupElement): boolean {
  const { name, parent } = element;
  if (name === 'a:p') return true;
  const isName =
    (name === 'c:v' && /^c:(?:str|lvl)/.test(parent?.parent?.name ?? '')) ||
    (name === 'cx:v' && parent?.name === 'cx:txData') ||
    (name === 'cx:pt' && parent?.parent?.name === 'cx:strDim');
  return isName && /\p{L}/u.test(textOf(element));
}

/** The newer charts hold a title as data and once more with its formatting. */
export function isRepeatedTitle(element: MarkupElement): boolean {
  return element.parent?.name === 'cx:txPr';
}

/** Every character below, with line breaks. */
export function countDrawnText(root: MarkupElement): number {
  return countTextWith(root, ({ name }) => (name === 'a:br' ? 1 : 0));
}

export function drawnItems(
  element: MarkupElement,
  source: string,
  skipped: SkipTally,
): { items: Item[]; baseStyle: string } {
  if (element.name !== 'a:p') {
    const { openEnd: start, closeStart: end } = element;
    return { items: [{ kind: 'text', text: textOf(element), start, end }], baseStyle: '' };
  }
  const pieces: Piece[] = [];
  for (const child of element.children) {
    if (child.kind === 'text') {
      skipped.add('whitespace', countCharacters(child.text));
      continue;
    }
    const { name, start, end } = child;
    if (name === 'a:br') pieces.push({ item: { kind: 'break', start, end }, style: voidStyle });
    else if (name === 'a:r') {
      const text = childElements(child, 'a:t').map(textOf).join('');
      skipped.add('markup', countDrawnText(child) - countCharacters(text));
      pieces.push({ item: { kind: 'text', text, start, end }, style: styleOf(child, source) });
    } else {
      skipped.add('markup', countDrawnText(child));
      if (name !== 'a:pPr' && name !== 'a:endParaRPr') pieces.push({ item: voidItem(start, end), style: voidStyle });
    }
  }
  const baseStyle = commonestStyle(pieces);
  return { items: merge(pieces, baseStyle), baseStyle };
}

/** Spelling marks do not change how a run looks. */
function styleOf(run: MarkupElement, source: string): string {
  const properties = childElements(run, 'a:rPr')[0];
  if (properties === undefined) return '';
  const style = source
    .slice(properties.start, properties.end)
    .replace(/^<a:rPr[^>]*/, (tag) =>
      tag.replace(/\s(?:lang|altLang|dirty|err|smtClean)\s*=\s*(?:"[^"]*"|'[^']*')/g, ''),
    );
  return /^<a:rPr\s*(?:\/>|>\s*<\/a:rPr>)$/.test(style) ? '' : style;
}

export function drawnDialect(container: MarkupElement, baseStyle: string, lang: string): FlowDialect {
  if (container.name !== 'a:p') return { text: escapeText, lineBreak: () => ' ' };
  const properties = (style: string | undefined) =>
    (style || '<a:rPr/>').replace(/^<a:rPr/, `<a:rPr lang="${escapeAttribute(lang)}"`);
  return {
    text: (text, groups) => {
      const style = groups.findLast((group) => group.style !== undefined)?.style ?? baseStyle;
      return `<a:r>${properties(style)}<a:t>${escapeText(text)}</a:t></a:r>`;
    },
    lineBreak: () => `<a:br>${properties(baseStyle)}</a:br>`,
  };
}

/** The names of a table exist once: there the translation follows in the same element. */
export function drawnCopy(container: MarkupElement, inner: string, source: string): string | undefined {
  if (container.name !== 'a:p') return undefined;
  const properties = childElements(container, 'a:pPr')[0];
  return `<a:p>${properties === undefined ? '' : source.slice(properties.start, properties.end)}${inner}</a:p>`;
}
