/** What stands beside a chain of characters. A word has many different neighbours, half a word always the same. */
export class Neighbours {
  readonly #counts = new Map<number, number>();
  #total = 0;

  /** Past 64 different neighbours the rest counts as one: the answer is "many" anyway. */
  add(unit: number): void {
    this.#total++;
    const key = this.#counts.size < 64 || this.#counts.has(unit) ? unit : -1;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  get different(): number {
    return this.#counts.size;
  }

  /** In bits: 0 when it is always the same. */
  get entropy(): number {
    let sum = 0;
    for (const count of this.#counts.values()) sum -= (count / this.#total) * Math.log2(count / this.#total);
    return sum;
  }
}
