/**
 * Which paragraphs of a part its reader reached. Coverage is counted below the element where a reader begins. A reader that begins at
 * the wrong one would find everything in order and leave the book untouched. This is the second look, by names alone.
 */
import { localName, type MarkupElement, type MarkupNode } from '../markup/markup.ts';
import { missedText } from '../source-faults.ts';

/** Paragraphs, headings and lines of verse in all three formats, whatever their namespace. */
const proseNames = new Set(['p', 'h', 'v', 'subtitle']);

export class TakenText {
  readonly #taken = new Set<MarkupElement>();

  /** A paragraph that was read, or an element that was left out on purpose. */
  add(element: MarkupElement): void {
    this.#taken.add(element);
  }

  /** @throws BAD_REQUEST UNREADABLE_SOURCE when less than half of the text nodes in paragraphs were reached */
  assertMost(root: MarkupElement, place: string): void {
    let all = 0;
    let taken = 0;
    const stack: { node: MarkupNode; inProse: boolean; isTaken: boolean }[] = [
      { node: root, inProse: false, isTaken: false },
    ];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { node } = next;
      if (node.kind === 'text') {
        if (!next.inProse || !/\p{L}/u.test(node.text)) continue;
        all++;
        if (next.isTaken) taken++;
        continue;
      }
      const inProse = next.inProse || proseNames.has(localName(node.name));
      const isTaken = next.isTaken || this.#taken.has(node);
      for (const child of node.children) stack.push({ node: child, inProse, isTaken });
    }
    if (taken * 2 < all) throw missedText(place, all, taken);
  }
}
