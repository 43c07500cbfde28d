/**
 * A pool of connections of which no account takes more than half: one that asks for a hundred large pages at once waits
 * for itself, not others for it. Whose work is running travels with the asynchronous work; work of nobody (admissions,
 * health, house-keeping) is not limited.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';

const working = new AsyncLocalStorage<string>();

/** Everything that `run` does counts for this account. */
export function onBehalfOf<T>(accountId: string, run: () => T): T {
  return working.run(accountId, run);
}

/** For work that several accounts share. */
export function onNobodysBehalf<T>(run: () => T): T {
  return working.exit(run);
}

type ConnectCallback = (error: Error | undefined, client?: pg.PoolClient, release?: (error?: unknown) => void) => void;

export class FairPool extends pg.Pool {
  readonly #perAccount: number;
  readonly #patienceMs: number;
  readonly #held = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(config: pg.PoolConfig & { max: number }) {
    super(config);
    this.#perAccount = Math.max(1, Math.floor(config.max / 2));
    this.#patienceMs = config.connectionTimeoutMillis ?? 5_000;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const account = working.getStore();
    const client = account === undefined ? super.connect() : this.#connectFor(account);
    if (callback === undefined) return client;
    client.then(
      (one) => callback(undefined, one, (error) => one.release(error as Error | undefined)),
      (error: Error) => callback(error),
    );
    return undefined;
  }

  async #connectFor(account: string): Promise<pg.PoolClient> {
    await this.#turn(account);
    try {
      const client = await super.connect();
      const release = client.release.bind(client);
      client.release = (error) => {
        client.release = release;
        this.#leave(account);
        release(error);
      };
      return client;
    } catch (error) {
      this.#leave(account);
      throw error;
    }
  }

  #turn(account: string): Promise<void> {
    const held = this.#held.get(account) ?? 0;
    if (held < this.#perAccount) {
      this.#held.set(account, held + 1);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const line = this.#waiting.get(account) ?? [];
      this.#waiting.set(account, line);
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        line.splice(line.indexOf(go), 1);
        // In the words of the pool itself, which postgres.ts knows to mean "not now".
        reject(new Error('timeout exceeded when trying to connect'));
      }, this.#patienceMs);
      line.push(go);
    });
  }

  /** Whoever waits takes over the place, so the number stays. */
  #leave(account: string): void {
    const line = this.#waiting.get(account);
    const next = line?.shift();
    if (line?.length === 0) this.#waiting.delete(account);
    if (next !== undefined) {
      next();
      return;
    }
    const held = (this.#held.get(account) ?? 1) - 1;
    if (held === 0) this.#held.delete(account);
    else this.#held.set(account, held);
  }
}
