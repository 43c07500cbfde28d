/** A binary heap: the item that comes before all others is taken first, in logarithmic time. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    for (; at > 0; at = (at - 1) >> 1) {
      const above = items[(at - 1) >> 1];
      if (above === undefined || !this.#isBefore(item, above)) break;
      items[at] = above;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const [first] = items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      let next = items[below];
      const right = items[below + 1];
      if (next !== undefined && right !== undefined && this.#isBefore(right, next)) [next, below] = [right, below + 1];
      if (next === undefined || !this.#isBefore(next, last)) break;
      items[at] = next;
      at = below;
    }
    items[at] = last;
    return first;
  }
}
