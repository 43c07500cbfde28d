/**
 * The line of requests before one engine: who is next, and when. A request leaves it when its turn comes, when it is cancelled,
 * or when another engine can take it. It also leaves when the engine has been down for longer than anybody waits.
 */
import type { CallOwner, Engine } from '../engine.ts';
import type { EngineError } from '../engine-error.ts';
import type { Clock } from './clock.ts';
import type { RoutingTuning } from './tuning.ts';

export interface LineRequest {
  owner: CallOwner;
  signal: AbortSignal;
  place: PlaceInLine;
  /** To the head of its own task: a repetition. */
  urgent: boolean;
}

/** Where else a request may be answered. */
export interface PlaceInLine {
  /** Another engine could be called soon, should this one go down. */
  movable(): boolean;
  /** The engine is of the same rank, and serves the request as well. */
  goesTo(other: Engine): boolean;
}

/** Thrown to a request that another engine can take. Never leaves the catalog. */
export class GateUnavailable extends Error {
  override readonly name = 'GateUnavailable';
}

interface Waiting extends Pick<LineRequest, 'owner' | 'place'> {
  go(): void;
  giveUp(reason: unknown): void;
}

export function createWaitingLine(options: {
  engine: string;
  tuning: RoutingTuning;
  clock: Clock;
  unavailableForMs(): number;
  downForMs(): number;
  hasRoom(): boolean;
  /** What is told to requests that have waited for long. */
  fault(retryAfterMs: number): EngineError;
  /** The engine can be called again. */
  onRoom(): void;
}) {
  const { engine, tuning, clock } = options;
  const queue = createFairQueue();
  let wakeAt = Number.POSITIVE_INFINITY;
  let cancelWake = (): void => {};

  const forgetWake = (): void => {
    cancelWake();
    wakeAt = Number.POSITIVE_INFINITY;
  };

  const wakeIn = (delayMs: number): void => {
    const at = clock.now() + delayMs;
    if (at >= wakeAt) return;
    cancelWake();
    wakeAt = at;
    cancelWake = clock.schedule(delayMs, () => {
      wakeAt = Number.POSITIVE_INFINITY;
      dispatch();
      options.onRoom();
    });
  };

  /** Lets every request go that may go now, and otherwise sets a time for the next look. */
  const dispatch = (): void => {
    while (queue.size > 0) {
      const blockedMs = options.unavailableForMs();
      if (blockedMs > 0) {
        sendAway(blockedMs);
        const patienceLeftMs = Math.max(1, tuning.patienceMs - options.downForMs());
        if (queue.size > 0) wakeIn(Math.min(blockedMs, patienceLeftMs));
        return;
      }
      // The end of a call makes room, and dispatches.
      if (!options.hasRoom()) return;
      queue.shift()?.go();
    }
  };

  /** Requests that cannot be sent go to the catalog if it has a better engine, and to the caller after a long wait. */
  const sendAway = (blockedMs: number): void => {
    if (blockedMs > tuning.failoverAfterMs) {
      const elsewhere = new GateUnavailable(engine);
      for (const entry of queue.all()) if (entry.place.movable()) entry.giveUp(elsewhere);
    }
    if (options.downForMs() >= tuning.patienceMs || blockedMs > tuning.patienceMs) {
      const retryAfterMs = Math.max(blockedMs, tuning.breaker.probeIntervalMs);
      const down = options.fault(retryAfterMs);
      for (const entry of queue.all()) entry.giveUp(down);
    }
  };

  return {
    get size() {
      return queue.size;
    },
    /**
     * Resolves with what `start` gives, which is called inside the dispatch that found a free slot.
     * @throws EngineError after a long outage; GateUnavailable; the signal's reason
     */
    join: <T>({ owner, signal, place, urgent }: LineRequest, start: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const abort = (): void => entry.giveUp(signal.reason);
        const entry: Waiting = {
          owner,
          place,
          go() {
            signal.removeEventListener('abort', abort);
            resolve(start());
          },
          giveUp(reason) {
            signal.removeEventListener('abort', abort);
            queue.remove(entry);
            // Without waiting requests, a timer would keep a stopping process alive until the engine is due again.
            if (queue.size === 0) forgetWake();
            reject(reason);
          },
        };
        signal.addEventListener('abort', abort, { once: true });
        queue.push(entry, urgent);
        dispatch();
      }),
    dispatch,
    /** Gives the next request back that may go to the other engine. False: there is none. */
    handOver(to: Engine): boolean {
      const entry = queue.shift(({ place }) => place.goesTo(to));
      entry?.giveUp(new GateUnavailable(engine));
      return entry !== undefined;
    },
  };
}

/**
 * Who is next for a free slot: round robin by account, within an account round robin by task, within a task in order.
 * So the first call of a short task waits for one turn, not for the rest of another account's novel.
 */
function createFairQueue() {
  // Maps keep insertion order: the first key is next, and a served key moves to the end.
  const accounts = new Map<string, Map<string, Waiting[]>>();
  let size = 0;

  return {
    get size() {
      return size;
    },
    all: () => [...accounts.values()].flatMap((tasks) => [...tasks.values()].flat()),
    /** `urgent` calls (retries) go to the head of their own task only. */
    push(item: Waiting, urgent: boolean) {
      const tasks = accounts.getOrInsertComputed(item.owner.account, () => new Map<string, Waiting[]>());
      const items = tasks.getOrInsertComputed(item.owner.task, () => []);
      if (urgent) items.unshift(item);
      else items.push(item);
      size += 1;
    },
    /** The next one that is accepted, of the first task whose next one is. */
    shift(accepts: (item: Waiting) => boolean = () => true): Waiting | undefined {
      for (const [account, tasks] of accounts) {
        for (const [task, items] of tasks) {
          const [item] = items;
          if (item === undefined || !accepts(item)) continue;
          items.shift();
          size -= 1;
          tasks.delete(task);
          if (items.length > 0) tasks.set(task, items);
          accounts.delete(account);
          if (tasks.size > 0) accounts.set(account, tasks);
          return item;
        }
      }
      return undefined;
    },
    remove(item: Waiting) {
      const { account, task } = item.owner;
      const tasks = accounts.get(account);
      const items = tasks?.get(task) ?? [];
      const index = items.indexOf(item);
      if (tasks === undefined || index < 0) return;
      items.splice(index, 1);
      size -= 1;
      if (items.length === 0) tasks.delete(task);
      if (tasks.size === 0) accounts.delete(account);
    },
  };
}
