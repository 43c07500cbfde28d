/** What every reader of a flow format keeps: its blocks, and the account of every character it came to. */
import { HeadingCount } from '../assemble-document.ts';
import type { RubyReading } from '../document.ts';
import { localName, type MarkupElement, type MarkupNode } from '../markup/markup.ts';
import { SkipTally } from '../skip-tally.ts';
import { missedText, unaccountedText } from '../source-faults.ts';
import { type FlowBlock, type FlowPart, takeBlock } from './flow-part.ts';
import type { Item } from './inline-items.ts';

export interface ReadParagraph extends Pick<FlowBlock, 'kind' | 'level'> {
  baseStyle?: string;
  isItalic?: boolean;
  ruby?: readonly RubyReading[];
  items: Item[];
  /** Of the paragraph alone, without text boxes and the like inside it. */
  characters: number;
}

export abstract class FlowReader {
  readonly blocks: FlowBlock[] = [];
  readonly skipped = new SkipTally();
  /** Paragraphs that were read, and elements that were left out on purpose. */
  readonly taken = new Set<MarkupElement>();
  textCharacters = 0;
  hasRuby = false;
  protected blockCharacters = 0;
  private readonly headings = new HeadingCount();
  private readonly numbers = new Map<FlowPart, number>();
  /** White space in the markup is one blank, however much there is. */
  private readonly collapses: boolean;

  constructor(collapses: boolean) {
    this.collapses = collapses;
  }

  /**
   * Adds the paragraph's block. What `read` gives and what it skips have to make up all its characters.
   * @throws BAD_REQUEST UNREADABLE_SOURCE, TOO_MANY_HEADINGS
   */
  protected takeText<T extends ReadParagraph>(part: FlowPart, container: MarkupElement, read: () => T): T {
    const number = (this.numbers.get(part) ?? 0) + 1;
    this.numbers.set(part, number);
    const before = this.skipped.total + this.blockCharacters;
    this.taken.add(container);
    const paragraph = read();
    const { items, characters, kind, level, baseStyle, isItalic = false, ruby } = paragraph;
    if (kind === 'heading') this.headings.add();
    const place = { kind, level, part, container, baseStyle, isItalic, ruby };
    this.blockCharacters += takeBlock(this.blocks, items, place, this.skipped, this.collapses);
    const accounted = this.skipped.total + this.blockCharacters - before;
    if (accounted !== characters) throw unaccountedText(`${part.name}, paragraph ${number}`, characters, accounted);
    return paragraph;
  }
  /**
   * Coverage is counted below the element where a reader begins. A reader that begins at the wrong one would find everything in
   * order and leave the book untouched. This is the second look, by names alone.
   * @throws BAD_REQUEST UNREADABLE_SOURCE when less than half of the text nodes in paragraphs were reached
   */
  assertMostTaken(root: MarkupElement, place: string): void {
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
      const isTaken = next.isTaken || this.taken.has(node);
      for (const child of node.children) stack.push({ node: child, inProse, isTaken });
    }
    if (taken * 2 < all) throw missedText(place, all, taken);
  }
}

/** Paragraphs, headings and lines of verse in all three formats, whatever their namespace. */
const proseNames = new Set(['p', 'h', 'v', 'subtitle']);
