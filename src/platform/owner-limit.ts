/**
 * So many pieces of work of one account at a time; its others wait in the order in which they came. An account that sends forty
 * requests at once then waits for itself, and between its pieces everybody else is served.
 */
export class OwnerLimit {
  readonly #atOnce: number;
  readonly #rests: boolean;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** @param rests whether an account's next turn waits as long as its last took: work that keeps this process busy leaves half to others */
  constructor(atOnce: number, { rests = false } = {}) {
    this.#atOnce = atOnce;
    this.#rests = rests;
  }

  async run<T>(account: string, work: () => Promise<T>): Promise<T> {
    const leave = await this.take(account);
    return await Promise.try(work).finally(leave);
  }

  /** Resolves to what ends the turn. */
  take(account: string): Promise<() => void>;
  /** Undefined when the turn has not come in time. */
  take(account: string, patienceMs: number): Promise<(() => void) | undefined>;
  take(account: string, patienceMs?: number): Promise<(() => void) | undefined> {
    const taken = this.#taken.get(account) ?? 0;
    if (taken < this.#atOnce) {
      this.#taken.set(account, taken + 1);
      return Promise.resolve(this.#begin(account));
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
      resolve(this.#begin(account));
    };
    line.push(go);
    return promise;
  }

  #begin(account: string): () => void {
    const beganAt = performance.now();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (this.#rests && this.#waiting.has(account)) setTimeout(() => this.#pass(account), performance.now() - beganAt);
      else this.#pass(account);
    };
  }

  /** The next in line takes over the place, so the number stays. */
  #pass(account: string): void {
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
  }
}
