/** What a run of inline nodes is made of on its way to the text of a block. */
import type { MarkupElement } from '../markup/markup.ts';

/** What tag number n stands for: `<n>…</n>` an element, `<n/>` a range of the source or a literal text. */
export type InlineTag =
  | { kind: 'element'; element: MarkupElement }
  | { kind: 'range'; start: number; end: number }
  | { kind: 'literal'; text: string };

export type Item =
  | { kind: 'text'; text: string; start: number; end: number }
  | { kind: 'break'; start: number; end: number }
  | { kind: 'void'; start: number; end: number; isSeen: boolean }
  | { kind: 'element'; element: MarkupElement; children: Item[]; start: number; end: number };
