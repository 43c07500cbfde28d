/**
 * Alignment in a text that turns from right-to-left to left-to-right or back: what began at the right begins at the left.
 * A Hebrew novel says `text-align: right` of every paragraph, and its English translation must not.
 */
import type { WriteOptions } from '../document.ts';
import { directionOf } from './language-marks.ts';

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
