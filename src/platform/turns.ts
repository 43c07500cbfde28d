/**
 * So many pieces of work of one account at a time; its others wait in the order in which they came. An account that sends forty
 * requests at once then waits for itself, and between its pieces everybody else is served.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async run<T>(account: string, work: () => Promise<T>): Promise<T> {
    const leave = await this.take(account);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Resolves to what ends the turn. */
  take(account: string): Promise<() => void>;
  /** Undefined when the turn has not come in time. */
  take(account: string, patienceMs: number): Promise<(() => void) | undefined>;
  take(account: string, patienceMs?: number): Promise<(() => void) | undefined> {
    const leave = this.#leaveOnce(account);
    const taken = this.#taken.get(account) ?? 0;
    if (taken < this.#atOnce) {
      this.#taken.set(account, taken + 1);
      return Promise.resolve(leave);
    }
    const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>();
    const line = this.#waiting.get(account) ?? [];
    this.#waiting.set(account, line);
    const giveUp = () => {
      line.splice(line.indexOf(go), 1);
      resolve(undefined);
    };
    const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
    const go = () => {
      clearTimeout(timer);
      resolve(leave);
    };
    line.push(go);
    return promise;
  }

  /** Whoever waits takes over the place, so the number stays. */
  #leaveOnce(account: string): () => void {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const line = this.#waiting.get(account);
      const next = line?.shift();
      if (line?.length === 0) this.#waiting.delete(account);
      if (next !== undefined) {
        next();
        return;
      }
      const taken = (this.#taken.get(account) ?? 1) - 1;
      if (taken === 0) this.#taken.delete(account);
      else this.#taken.set(account, taken);
    };
  }
}
