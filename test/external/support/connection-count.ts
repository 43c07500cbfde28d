/** How many connections a database server has open, by the name that each process gives to them. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export type ConnectionCounts = Record<string, number>;

export class ConnectionCount {
  readonly most: ConnectionCounts = {};
  readonly #client: pg.Client;
  readonly #looking: Promise<void>;
  #stopped = false;

  /** Looks five times a second from now on. */
  static async start(databaseUrl: string): Promise<ConnectionCount> {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: 'counting' });
    await client.connect();
    return new ConnectionCount(client);
  }

  private constructor(client: pg.Client) {
    this.#client = client;
    this.#looking = this.#look();
    this.#looking.catch(() => {});
  }

  async now(): Promise<ConnectionCounts> {
    const { rows } = await this.#client.query<{ name: string; n: number }>(
      `select application_name as name, count(*)::int as n from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() group by 1 order by 1`,
    );
    const counts = Object.fromEntries(rows.map(({ name, n }) => [name, n]));
    return { ...counts, together: rows.reduce((sum, { n }) => sum + n, 0) };
  }

  async stop(): Promise<ConnectionCounts> {
    this.#stopped = true;
    await this.#looking;
    await this.#client.end();
    return this.most;
  }

  async #look(): Promise<void> {
    for (; !this.#stopped; await sleep(200)) {
      for (const [name, n] of Object.entries(await this.now())) this.most[name] = Math.max(this.most[name] ?? 0, n);
    }
  }
}
