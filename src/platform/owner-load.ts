/** Processor time that owners have used lately, in this process' children. Halves every five seconds, so it speaks of the last moments. */
const halfLifeMs = 5_000;
/** Less than this is nobody's burden. */
const heavyFromMs = 500;
const lighterTimes = 2;
/** Of this long ago hardly anything is left. */
const forgottenAfterMs = 12 * halfLifeMs;

interface Load {
  usedMs: number;
  atMs: number;
}

export class OwnerLoad {
  readonly #loads = new Map<string, Load>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  note(owner: string | undefined, usedMs: number): void {
    if (owner === undefined) return;
    const atMs = this.#now();
    const usedBefore = this.#usedBy(owner);
    // Deleted first: the ones that have been quiet for longest come first.
    this.#loads.delete(owner);
    this.#loads.set(owner, { usedMs: usedBefore + usedMs, atMs });
    for (const [name, { atMs: seenMs }] of this.#loads) {
      if (atMs - seenMs < forgottenAfterMs) break;
      this.#loads.delete(name);
    }
  }

  /** Whether the owner has used much while somebody else uses much less: that one's next piece of work must not wait for more of it. */
  isHeavy(owner: string | undefined): boolean {
    if (owner === undefined) return false;
    const usedMs = this.#usedBy(owner);
    if (usedMs < heavyFromMs) return false;
    return [...this.#loads.keys()].some((other) => other !== owner && this.#usedBy(other) * lighterTimes < usedMs);
  }

  /** Whether somebody else has been there lately. */
  isShared(owner: string | undefined): boolean {
    return [...this.#loads.keys()].some((other) => other !== owner);
  }

  #usedBy(owner: string): number {
    const load = this.#loads.get(owner);
    return load === undefined ? 0 : load.usedMs * 0.5 ** ((this.#now() - load.atMs) / halfLifeMs);
  }
}
