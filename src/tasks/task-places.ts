/** Creates that arrive together become one statement and one commit, which is most of what a create costs. */
import { onNobodysBehalf } from '../platform/fair-pool.ts';
import { type Db, isDatabaseAway } from '../platform/postgres.ts';
import type { Lane } from '../platform/queue.ts';
import { Together } from '../platform/together.ts';
import { isClaimedByAnother, type KeyScope, readFingerprints } from './idempotency-store.ts';
import { type PlacedTask, placeTasks, type TaskOrder } from './new-task-store.ts';

/** An order with a longer glossary would hold up whoever shares its statement. */
const maxSharedGlossary = 16_384;

export class TaskPlaces {
  readonly #db: Db;
  readonly #lines: Record<Lane, Together<TaskOrder, PlacedTask | undefined>>;
  readonly #claimed: Together<KeyScope, Buffer | undefined>;

  constructor(db: Db) {
    this.#db = db;
    const line = (): Together<TaskOrder, PlacedTask | undefined> =>
      new Together((orders) => onNobodysBehalf(() => placeTogether(db, orders)), {
        // Two statements would want the balance of the same account.
        maxUnderWay: 1,
        ownerOf: ({ task }) => task.accountId,
      });
    this.#lines = { short: line(), book: line() };
    this.#claimed = new Together((scopes) => onNobodysBehalf(() => readFingerprints(db, scopes)));
  }

  /** Undefined where the order needs more than this: see `placeTasks`. */
  async place(order: TaskOrder): Promise<PlacedTask | undefined> {
    if ((order.task.glossaryJson?.length ?? 0) <= maxSharedGlossary)
      return await this.#lines[order.task.lane].ask(order);
    return order.claim ? undefined : (await placeTasks(this.#db, [order], { wait: true }))[0];
  }

  /** The request that the key was claimed for. */
  async claimedFor(scope: KeyScope): Promise<Buffer | undefined> {
    return await this.#claimed.ask(scope);
  }
}

async function placeTogether(db: Db, orders: readonly TaskOrder[]): Promise<(PlacedTask | undefined)[]> {
  // The second of two orders under one key is for whoever sees what has become of the first.
  const first = [...Map.groupBy(orders, keyOf).values()].flatMap((same) => same[0] ?? []);
  try {
    const placed = await placeTasks(db, first, { wait: false });
    const byOrder = new Map(first.map((order, i) => [order, placed[i]]));
    return orders.map((order) => byOrder.get(order));
  } catch (error) {
    // Whether they were placed may be open then, so that nobody may try again.
    if (isDatabaseAway(error)) throw error;
    if (orders.length === 1 && !isClaimedByAnother(error)) throw error;
    // The fault of one must not be that of the others: each finds out for itself.
    return orders.map(() => undefined);
  }
}

function keyOf({ task, claim }: TaskOrder): string {
  return claim ? JSON.stringify(claim.scope) : task.id;
}
