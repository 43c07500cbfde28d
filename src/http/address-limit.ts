/**
 * Limits what an address may do a minute, counted in this process: failed authentications (60), so that nobody guesses, and what visitors
 * try. Valid keys from the same address are not affected, and neither is the database.
 */
const usualLimitPerMinute = 60;
const windowMs = 60_000;
/** Enough for a busy hour of scanners; the oldest entry goes first, so memory stays bounded. */
const maxAddresses = 10_000;

export class AddressLimit {
  readonly #windows = new Map<string, { startedMs: number; count: number }>();
  readonly #limitPerMinute: number;

  constructor(limitPerMinute = usualLimitPerMinute) {
    this.#limitPerMinute = limitPerMinute;
  }

  /** The seconds to wait when the address has used up its failures: for what must not be tried at all any more. */
  blockedFor(address: string): number | undefined {
    const window = this.#windows.get(address);
    return window && window.count >= this.#limitPerMinute ? this.#secondsLeft(window) : undefined;
  }

  /** Counts one failure. Returns the seconds to wait when the address is over its limit, else undefined. */
  record(address: string): number | undefined {
    const window = this.#windows.get(address);
    const secondsLeft = window && this.#secondsLeft(window);
    if (!window || secondsLeft === undefined) {
      this.#windows.delete(address);
      if (this.#windows.size >= maxAddresses) this.#windows.delete(this.#windows.keys().next().value as string);
      this.#windows.set(address, { startedMs: Date.now(), count: 1 });
      return undefined;
    }
    window.count++;
    return window.count > this.#limitPerMinute ? secondsLeft : undefined;
  }

  /** Undefined when the minute is over. */
  #secondsLeft({ startedMs }: { startedMs: number }): number | undefined {
    const leftMs = startedMs + windowMs - Date.now();
    return leftMs > 0 ? Math.ceil(leftMs / 1000) : undefined;
  }
}
