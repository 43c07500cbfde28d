import { setTimeout as rest } from 'node:timers/promises';

/** More is noticed by clients that wait for an answer meanwhile. */
const atOnceMs = 2;

/**
 * For work that takes long in a process that answers others. It goes on until it has had its time, then the others have as much. A mere
 * turn would not be enough: a request needs several, and would wait for a piece of this work before each.
 */
export class Pauses {
  #since = performance.now();

  /** Asked first, because waiting for nothing costs more than most pieces of work. */
  get isDue(): boolean {
    return performance.now() - this.#since >= atOnceMs;
  }

  async take(): Promise<void> {
    await rest(performance.now() - this.#since);
    this.#since = performance.now();
  }
}
