import { countCharacters } from '../document.ts';
import { elementsOf, type MarkupElement, textOf } from '../markup/markup.ts';

/** Every character below, with line breaks and the hyphens that the format writes as elements. */
export function countDocxText(root: MarkupElement): number {
  let count = countCharacters(textOf(root));
  for (const element of elementsOf(root)) {
    if (element.name === 'w:noBreakHyphen' || isLineBreak(element)) count++;
  }
  return count;
}

export function isLineBreak(element: MarkupElement): boolean {
  if (element.name === 'w:cr') return true;
  return element.name === 'w:br' && (element.attributes['w:type'] ?? 'textWrapping') === 'textWrapping';
}
