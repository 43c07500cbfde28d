const capacity = 100_000;

/** Counts strings in bounded memory: when full, the rarest half goes (a name of the book is never among them). */
export class BoundedCounter {
  readonly #counts = new Map<string, number>();

  add(key: string, by = 1): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + by);
    if (this.#counts.size > capacity) this.#prune();
  }

  get(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** What was counted as `from` counts as `to`. */
  move(from: string, to: string): void {
    const count = this.#counts.get(from);
    if (count === undefined) return;
    this.#counts.delete(from);
    this.add(to, count);
  }

  entries(): IterableIterator<[string, number]> {
    return this.#counts.entries();
  }

  #prune(): void {
    for (let floor = 1; this.#counts.size > capacity / 2; floor *= 2) {
      for (const [key, count] of this.#counts) if (count <= floor) this.#counts.delete(key);
    }
  }
}
