import { addAbortListener } from 'node:events';

/**
 * Admits work by weight: what runs at once weighs at most `capacity`. First come, first served, because a stream of light
 * work would otherwise hold up heavy work for ever. Work that alone weighs more than everything runs alone.
 */
export class WeightGate {
  readonly #capacity: number;
  readonly #waiting: { weight: number; go: () => void }[] = [];
  #inside = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** @throws the signal's reason while waiting, and what `run` throws */
  async pass<T>(weight: number, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    const counted = Math.min(weight, this.#capacity);
    await this.#enter(counted, signal);
    try {
      return await run();
    } finally {
      this.#inside -= counted;
      this.#admit();
    }
  }

  async #enter(weight: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry = { weight, go: resolve };
    const onAbort = () => {
      const at = this.#waiting.indexOf(entry);
      if (at < 0) return;
      this.#waiting.splice(at, 1);
      reject(signal.reason);
      this.#admit();
    };
    this.#waiting.push(entry);
    this.#admit();
    using _listening = addAbortListener(signal, onAbort);
    await promise;
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#inside + next.weight > this.#capacity) return;
      this.#waiting.shift();
      this.#inside += next.weight;
      next.go();
    }
  }
}
