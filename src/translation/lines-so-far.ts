/** The book line by line, as far as it is translated: what a passage is told of the text before it. */
import { stripInlineTags } from '../inline-tags.ts';
import { translatedEndOf } from './plan/context.ts';
import type { Line, Segment } from './plan/segment.ts';

export class LinesSoFar {
  readonly #translations: (string | undefined)[];

  constructor(lines: readonly Line[]) {
    this.#translations = lines.map(({ translation }) => translation);
  }

  /** @param texts of the segment's units; undefined where there is no translation */
  add({ line }: Pick<Segment, 'line'>, texts: readonly (string | undefined)[]): void {
    for (const [i, text] of texts.entries())
      this.#translations[line + i] = text === undefined ? undefined : stripInlineTags(text);
  }

  /**
   * The last lines before a segment as they were translated; none where the very last one is not. From `runStart` on a stretch that an
   * engine could not be reached for is left out: its voice is known all the same.
   */
  before({ line }: Pick<Segment, 'line'>, runStart = line): string[] {
    const texts: string[] = [];
    let from = line - 1;
    while (from >= runStart && this.#translations[from] === undefined) from--;
    if (from < runStart) from = line - 1;
    for (let at = from; at >= Math.max(0, from - maxLines); at--) {
      const text = this.#translations[at];
      if (text === undefined) break;
      texts.unshift(text);
    }
    return translatedEndOf(texts);
  }
}

/** A list or a proclamation of so many lines is passed over in search of prose. */
const maxLines = 200;
