/**
 * The translations as a writer asks for them that begins before all are there: it is told when one is missing, and later
 * whether those that it was given are still the same.
 */
import { createHash } from 'node:crypto';
import type { Translations } from './document.ts';

/** What was asked for in one go; of the texts only a hash is kept. */
export interface Asked {
  ids: string[];
  hash: string;
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
      return { result, asked: { ids, hash: hashOf(ids, texts) } };
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

  isSame({ ids, hash }: Asked): boolean {
    return hashOf(ids, this.#texts) === hash;
  }
}

function hashOf(ids: readonly string[], texts: Pick<Translations, 'get'>): string {
  const hash = createHash('sha256');
  for (const id of ids) hash.update(`${texts.get(id) ?? ''}\0`);
  return hash.digest('base64');
}
