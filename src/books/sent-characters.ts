import { countCharacters } from '../documents/document.ts';
import type { ExtractRequest, TranslateRequest } from '../engines/engine.ts';

/** Counts the source text that engines are sent for a task, between two times at which the count is stored. */
export class SentCharacters {
  #count = 0;

  translate({ blocks }: TranslateRequest): void {
    for (const { text } of blocks) this.#count += countCharacters(text);
  }

  extract({ text }: Pick<ExtractRequest, 'text'>): void {
    this.#count += countCharacters(text);
  }

  /** Hands the count over to the write that stores it. */
  take(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }

  /** It could not be stored. */
  putBack(count: number): void {
    this.#count += count;
  }
}
