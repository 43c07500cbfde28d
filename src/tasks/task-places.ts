/** Creates that arrive together become one statement and one commit, which is most of what a create costs. */
import { onNobodysBehalf } from '../platform/fair-pool.ts';
import { type Db, isDatabaseAway } from '../platform/postgres.ts';
import type { Lane } from '../platform/queue.ts';
import { Together } from '../platform/together.ts';
import { placeTasks, type TaskOrder } from './new-task-store.ts';
import type { Task } from './task.ts';

/** An order with a longer glossary would hold up whoever shares its statement. */
const maxSharedGlossary = 16_384;

export class TaskPlaces {
  readonly #db: Db;
  readonly #lines: Record<Lane, Together<TaskOrder, Task | undefined>>;

  constructor(db: Db) {
    this.#db = db;
    const line = (): Together<TaskOrder, Task | undefined> =>
      new Together((orders) => onNobodysBehalf(() => placeTogether(db, orders)), {
        // Two statements would want the balance of the same account.
        maxUnderWay: 1,
        ownerOf: ({ task }) => task.accountId,
      });
    this.#lines = { short: line(), book: line() };
  }

  /** Undefined where the order needs more than one statement: see `placeTasks`. */
  async place(order: TaskOrder): Promise<Task | undefined> {
    if ((order.task.glossaryJson?.length ?? 0) > maxSharedGlossary)
      return (await placeTasks(this.#db, [order], { wait: true }))[0];
    return await this.#lines[order.task.lane].ask(order);
  }
}

async function placeTogether(db: Db, orders: readonly TaskOrder[]): Promise<(Task | undefined)[]> {
  try {
    return await placeTasks(db, orders, { wait: false });
  } catch (error) {
    // Whether they were placed may be open then, so that nobody may try again.
    if (isDatabaseAway(error) || orders.length === 1) throw error;
    // The fault of one must not be that of the others: each finds out for itself.
    return orders.map(() => undefined);
  }
}
