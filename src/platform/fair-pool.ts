/**
 * A pool of connections of which no account takes more than a fifth. An account that asks for a hundred large pages at
 * once waits for itself, not others for it. Whose work is running travels with the asynchronous work; work of nobody
 * (admissions, health, house-keeping) is not limited.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { OutageLog } from './outage-log.ts';
import { OwnerLimit } from './owner-limit.ts';

const working = new AsyncLocalStorage<string>();

/** Everything that `run` does counts for this account. */
export function onBehalfOf<T>(accountId: string, run: () => T): T {
  return working.run(accountId, run);
}

type ConnectCallback = (error: Error | undefined, client?: pg.PoolClient, release?: (error?: unknown) => void) => void;

/** Times the usual wait for a connection: an account that waits for its own requests holds up nobody. */
const ownPatience = 3;

export class FairPool extends pg.Pool {
  readonly #ownerLimit: OwnerLimit;
  readonly #patienceMs: number;

  constructor(config: pg.PoolConfig & { max: number }) {
    super(config);
    this.#ownerLimit = new OwnerLimit(Math.max(1, Math.floor(config.max / 5)));
    this.#patienceMs = ownPatience * (config.connectionTimeoutMillis ?? 5_000);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const account = working.getStore();
    const client = account === undefined ? super.connect() : this.#connectFor(account);
    client.catch(OutageLog.ofDatabase);
    if (callback === undefined) return client;
    client.then(
      (one) => callback(undefined, one, (error) => one.release(error as Error | undefined)),
      (error: Error) => callback(error),
    );
    return undefined;
  }

  async #connectFor(account: string): Promise<pg.PoolClient> {
    const leave = await this.#ownerLimit.take(account, this.#patienceMs);
    // In the words of the pool itself, which postgres.ts knows to mean "not now".
    if (leave === undefined) throw new Error('timeout exceeded when trying to connect');
    try {
      const client = await super.connect();
      const release = client.release.bind(client);
      client.release = (error) => {
        client.release = release;
        leave();
        release(error);
      };
      return client;
    } catch (error) {
      leave();
      throw error;
    }
  }
}
