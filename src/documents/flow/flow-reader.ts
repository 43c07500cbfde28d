/** What every reader of a flow format keeps: its blocks, and the account of every character it came to. */
import type { RubyReading } from '../document.ts';
import { HeadingCount } from '../heading-count.ts';
import type { MarkupElement } from '../markup/markup.ts';
import { SkipTally } from '../skip-tally.ts';
import { unaccountedText } from '../source-faults.ts';
import { type FlowBlock, type FlowPart, takeBlock } from './flow-part.ts';
import type { Item } from './inline-items.ts';
import { TakenText } from './taken-text.ts';

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
  readonly taken = new TakenText();
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
}
