/** A block of a page: its text, and where it stands in the markup. */
import type { BlockKind } from '../document.ts';
import type { MarkupElement } from '../markup/markup.ts';
import type { InlineRun } from './inline.ts';

export interface PageBlock extends InlineRun {
  kind: BlockKind;
  /** 1 to 6 for headings, else 0. */
  level: number;
  /** The element the run stands in. */
  container: MarkupElement;
  /** The run is all the container holds. */
  isWhole: boolean;
  /** Set for a text outside the paragraphs: where it is written instead. */
  place?: InnerPlace;
}

/** Where a text outside the paragraphs is written. */
export type InnerPlace =
  | { kind: 'attribute'; element: MarkupElement; name: string }
  | { kind: 'range'; start: number; end: number };
