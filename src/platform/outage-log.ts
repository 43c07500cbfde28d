/**
 * While the database is away all that needs it fails, many times a second and in every part of a process. One line says when it
 * went and why, one every minute that it is still away, and one when it is back.
 */

/** Without an error for so long after a connection was made, the database is back. */
const quietMs = 1_000;
const reminderMs = 60_000;

/** The server, or the way to it; a deadlock or a statement that took too long is none of them. */
const outageCodes = /^(08|53|57P0|58|E[A-Z_]+$)/;
/** Of the driver and of the pool, which have no codes. */
export const lostConnection =
  /timeout exceeded when trying to connect|Query read timeout|timeout expired|Connection terminated|Client has encountered a connection error|not queryable/;
/** A refused connection may be one to an engine or a storage: only what came from the database counts. */
const ofDatabase = new WeakSet<object>();

export class OutageLog {
  #away: { sinceMs: number; toldMs: number; lastMs: number; untold: number } | undefined;
  #check: NodeJS.Timeout | undefined;

  /** Every error of a connection to the database goes through here. */
  static ofDatabase<T extends object>(error: T): T {
    ofDatabase.add(error);
    return error;
  }

  /** Whether a line about this error is to be left out: an earlier one has said it. Faults of single statements are always told. */
  isTold(err: unknown, nowMs = Date.now()): boolean {
    if (!isOutage(err)) return false;
    const away = this.#away;
    if (away === undefined) {
      this.#away = { sinceMs: nowMs, toldMs: nowMs, lastMs: nowMs, untold: 0 };
      return false;
    }
    away.lastMs = nowMs;
    if (nowMs - away.toldMs >= reminderMs) {
      away.toldMs = nowMs;
      return false;
    }
    away.untold += 1;
    return true;
  }

  /** A connection was made. */
  connected(log: { info(fields: object, message: string): void }): void {
    if (this.#away === undefined || this.#check !== undefined) return;
    this.#check = setTimeout(() => {
      this.#check = undefined;
      const away = this.#away;
      if (away === undefined) return;
      const nowMs = Date.now();
      if (nowMs - away.lastMs < quietMs) return this.connected(log);
      this.#away = undefined;
      log.info({ awayMs: nowMs - away.sinceMs, untold: away.untold }, 'the database answers again');
    }, quietMs);
    this.#check.unref();
  }
}

function isOutage(err: unknown): boolean {
  if (typeof err !== 'object' || err === null || !ofDatabase.has(err)) return false;
  const { code, message } = err as { code?: unknown; message?: unknown };
  return (typeof code === 'string' && outageCodes.test(code)) || lostConnection.test(String(message));
}
