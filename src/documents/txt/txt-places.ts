import type { Join } from './block-text.ts';
import type { TxtBlock, TxtPlace, TxtSink } from './parse-txt.ts';

/** Where every block stands, as plain numbers: objects and texts of a 20 MB novel would take several times its size. */
export class TxtPlaces implements TxtSink {
  readonly #numbers: number[] = [];
  readonly #headings = new Map<number, number>();

  addBlock({ number, role, place }: TxtBlock): void {
    this.#add(number, place);
    if (role !== undefined) this.#headings.set(place.firstLine, number);
  }

  addRepeat({ place }: TxtBlock, headingLine: number): void {
    // The heading comes later, so its line stands in for the number that it will have.
    this.#add(-headingLine, place);
  }

  /** In reading order, each with the number of the block that it is translated by. */
  *[Symbol.iterator](): Generator<{ number: number; place: TxtPlace }> {
    for (let i = 0; i < this.#numbers.length; i += width) {
      const [block, firstLine, lineCount, start, join] = this.#numbers.slice(i, i + width) as Row;
      const number = block > 0 ? block : (this.#headings.get(-block) as number);
      yield { number, place: { firstLine, lineCount, start, join: joins[join] as Join } };
    }
  }

  #add(block: number, { firstLine, lineCount, start, join }: TxtPlace): void {
    this.#numbers.push(block, firstLine, lineCount, start, joins.indexOf(join));
  }
}

type Row = [block: number, firstLine: number, lineCount: number, start: number, join: number];
const width = 5;
const joins: readonly Join[] = ['line', 'flow', 'verse'];
