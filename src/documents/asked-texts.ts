/**
 * The translations as a writer asks for them that begins before all are there: it is told when one is missing, and later
 * whether those that it was given are still the same.
 */
import type { Translations } from './document.ts';

/** What was asked for in one go, and the answers: most of them are the very strings that the book is made of in the end. */
export interface Asked {
  ids: readonly string[];
  texts: readonly (string | undefined)[];
}

class Missing extends Error {}

export class AskedTexts implements Translations {
  #texts: Pick<Translations, 'get'> = new Map();
  #asked: string[] | undefined;
  #size: number;

  /** @param expected how many texts there will be */
  constructor(expected: number) {
    this.#size = expected;
  }

  get size(): number {
    return this.#size;
  }

  get(id: string): string | undefined {
    const text = this.#texts.get(id);
    if (this.#asked === undefined) return text;
    if (text === undefined) throw new Missing();
    this.#asked.push(id);
    return text;
  }

  /** Undefined when a text was missing: then `write` has to be called again. */
  ask<T>(texts: Pick<Translations, 'get'>, write: () => T): { result: T; asked: Asked } | undefined {
    this.#texts = texts;
    this.#asked = [];
    try {
      const result = write();
      const ids = [...new Set(this.#asked)];
      return { result, asked: { ids, texts: ids.map((id) => texts.get(id)) } };
    } catch (error) {
      if (error instanceof Missing) return undefined;
      throw error;
    } finally {
      this.#asked = undefined;
    }
  }

  /** From now on these are the texts. */
  settle(texts: Translations): void {
    this.#texts = texts;
    this.#size = texts.size;
  }

  isSame({ ids, texts }: Asked): boolean {
    return ids.every((id, i) => this.#texts.get(id) === texts[i]);
  }
}
