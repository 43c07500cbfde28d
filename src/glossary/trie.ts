/**
 * A trie over UTF-16 units in flat arrays: 20,000 terms need a few megabytes, and a step costs one or two array reads. A Map per
 * node would cost hundreds of megabytes of objects.
 */
export class Trie {
  readonly #root = new Int32Array(65_536);
  #parents = new Int32Array(1024).fill(-1);
  #units = new Uint16Array(1024);
  #children = new Int32Array(1024);
  #used = 0;
  #nodes = 1;

  /** Node of `text`, created when absent. Nodes are small integers from 1. */
  insert(text: string): number {
    let node = 0;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      const next = node === 0 ? (this.#root[unit] ?? 0) : this.step(node, unit);
      node = next === 0 ? this.#add(node, unit) : next;
    }
    return node;
  }

  first(unit: number): number {
    return this.#root[unit] ?? 0;
  }

  /** The child of `node` by `unit`, 0 when there is none. */
  step(node: number, unit: number): number {
    const mask = this.#children.length - 1;
    let slot = hash(node, unit) & mask;
    while (this.#parents[slot] !== -1) {
      if (this.#parents[slot] === node && this.#units[slot] === unit) return this.#children[slot] ?? 0;
      slot = (slot + 1) & mask;
    }
    return 0;
  }

  #add(parent: number, unit: number): number {
    const node = this.#nodes++;
    if (parent === 0) {
      this.#root[unit] = node;
      return node;
    }
    if (this.#used * 2 >= this.#children.length) this.#grow();
    this.#place(parent, unit, node);
    return node;
  }

  #place(parent: number, unit: number, node: number): void {
    const mask = this.#children.length - 1;
    let slot = hash(parent, unit) & mask;
    while (this.#parents[slot] !== -1) slot = (slot + 1) & mask;
    this.#parents[slot] = parent;
    this.#units[slot] = unit;
    this.#children[slot] = node;
    this.#used++;
  }

  #grow(): void {
    const [parents, units, children] = [this.#parents, this.#units, this.#children];
    this.#parents = new Int32Array(parents.length * 2).fill(-1);
    this.#units = new Uint16Array(parents.length * 2);
    this.#children = new Int32Array(parents.length * 2);
    this.#used = 0;
    for (const [slot, parent] of parents.entries()) {
      if (parent !== -1) this.#place(parent, units[slot] ?? 0, children[slot] ?? 0);
    }
  }
}

function hash(node: number, unit: number): number {
  const mixed = Math.imul(node, 0x9e3779b1) ^ Math.imul(unit + 1, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
