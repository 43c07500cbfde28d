/**
 * The transaction that completes a task, begun while the last files are still being made. What a book has taught takes as long to write
 * as the files do, and nobody sees it before the task is completed.
 */
import { type Db, type OpenTrx, ping, type Trx } from '../../platform/postgres.ts';

export class EndAhead {
  readonly #db: Db;
  #begun: Promise<OpenTrx | undefined> | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Writes go one after another into the same transaction.
   * @param write what can be written already; whatever goes wrong with it, everything is written anew at the end
   */
  write(write: (trx: Trx) => Promise<void>): void {
    const before = this.#begun ?? this.#db.startTransaction().execute();
    this.#begun = this.#written(before, write).catch(() => undefined);
  }

  /**
   * @param complete is told whether everything was written into its transaction
   * @throws what `complete` throws; nothing is written then
   */
  async end<T>(complete: (trx: Trx, isWritten: boolean) => Promise<T>): Promise<T> {
    const begun = await this.#taken();
    if (begun === undefined) return await this.#db.transaction().execute((trx) => complete(trx, false));
    try {
      const result = await complete(begun, true);
      await begun.commit().execute();
      return result;
    } catch (error) {
      await rollBack(begun);
      throw error;
    }
  }

  /** The task does not complete. */
  async abandon(): Promise<void> {
    const begun = await this.#begun;
    this.#begun = undefined;
    if (begun !== undefined) await rollBack(begun);
  }

  async #written(
    before: Promise<OpenTrx | undefined>,
    write: (trx: Trx) => Promise<void>,
  ): Promise<OpenTrx | undefined> {
    const trx = await before;
    if (trx === undefined) return undefined;
    try {
      await write(trx);
      return trx;
    } catch (error) {
      await rollBack(trx);
      throw error;
    }
  }

  /** The server ends a transaction that has waited for long: then there is none. */
  async #taken(): Promise<OpenTrx | undefined> {
    const begun = await this.#begun;
    this.#begun = undefined;
    if (begun === undefined) return undefined;
    try {
      await ping(begun);
      return begun;
    } catch {
      await rollBack(begun);
      return undefined;
    }
  }
}

/** A connection that is gone has rolled back by itself. */
async function rollBack(trx: OpenTrx): Promise<void> {
  await trx
    .rollback()
    .execute()
    .catch(() => {});
}
