/**
 * Hashes of the keys that partners present. Those of admitted keys are remembered, because to hash one costs a small request a
 * tenth of its processor time. That is arithmetic and no permission: whether a key is live, the database says every time.
 */
import { hashApiKey, isWellFormedApiKey } from './api-key.ts';

/** More than a process usually sees; the oldest goes first. */
const maxKeys = 1_000;

export class KeyHashes {
  readonly #pepper: Buffer;
  readonly #known = new Map<string, Buffer>();

  constructor(pepper: Buffer) {
    this.#pepper = pepper;
  }

  /** Undefined for anything that we cannot have issued. */
  of(key: string): Buffer | undefined {
    return this.#known.get(key) ?? (isWellFormedApiKey(key) ? hashApiKey(key, this.#pepper) : undefined);
  }

  /** Only a key that was admitted is worth the place, and one that is admitted no longer gives it back. */
  remember(key: string, hash: Buffer, admitted: boolean): void {
    if (!admitted) return void this.#known.delete(key);
    if (this.#known.has(key)) return;
    if (this.#known.size >= maxKeys) this.#known.delete(this.#known.keys().next().value as string);
    this.#known.set(key, hash);
  }
}
