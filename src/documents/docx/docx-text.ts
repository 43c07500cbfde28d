import { countTextWith, type MarkupElement } from '../markup/markup.ts';

/** Every character below, with line breaks and the hyphens that the format writes as elements. */
export function countDocxText(root: MarkupElement): number {
  return countTextWith(root, (element) => (element.name === 'w:noBreakHyphen' || isLineBreak(element) ? 1 : 0));
}

export function isLineBreak(element: MarkupElement): boolean {
  if (element.name === 'w:cr') return true;
  return element.name === 'w:br' && (element.attributes['w:type'] ?? 'textWrapping') === 'textWrapping';
}
