/** Counts text that is in no block, by reason: the right-hand side of the coverage identity. */
import type { Skipped, SkipReason } from './document.ts';

export class SkipTally {
  #counts = new Map<SkipReason, number>();

  add(reason: SkipReason, characters: number): void {
    if (characters === 0) return;
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + characters);
  }

  addAll(other: SkipTally): void {
    for (const { reason, characters } of other.list()) this.add(reason, characters);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, characters) => sum + characters, 0);
  }

  list(): Skipped[] {
    return [...this.#counts].map(([reason, characters]) => ({ reason, characters }));
  }
}
