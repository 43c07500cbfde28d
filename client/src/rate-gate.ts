/**
 * Keeps the calls of one client from flooding the rate limit. After a 429 they pass one at a time, first come, first served,
 * until the queue is empty: a hundred parallel calls then use the slots as they become free instead of wasting their retries
 * on each other.
 */
export class RateGate {
  readonly #queue: { turn: Turn; begin: () => void }[] = [];
  #narrow = false;

  /** Resolves when the call may be sent. Rejects with the signal's reason. */
  enter(signal?: AbortSignal): Promise<Turn> {
    return new Promise((resolve, reject) => {
      if (!this.#narrow) return resolve({ held: false, leave: () => {} });
      const giveUp = () => {
        turn.leave();
        reject(signal?.reason);
      };
      const turn: Turn = { held: true, leave: () => this.#leave(turn) };
      const begin = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve(turn);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#queue.push({ turn, begin });
      if (this.#queue.length === 1) begin();
    });
  }

  /** A call was refused: from now on one at a time. */
  narrow(): void {
    this.#narrow = true;
  }

  #leave(turn: Turn): void {
    const at = this.#queue.findIndex((waiting) => waiting.turn === turn);
    if (at < 0) return;
    this.#queue.splice(at, 1);
    turn.held = false;
    if (this.#queue.length === 0) this.#narrow = false;
    else if (at === 0) this.#queue[0]?.begin();
  }
}

export interface Turn {
  /** False when the gate is open, or after leaving. */
  held: boolean;
  /** Lets the next one go. More than once does no harm. */
  leave(): void;
}
