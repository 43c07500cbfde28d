/**
 * The line of requests before one engine: who is next, and when. A request leaves it when its turn comes, when it is cancelled,
 * or when another engine can take it. It also leaves when the engine has been down for longer than anybody waits.
 */
import type { EngineError } from '../engine-error.ts';
import type { Clock } from './clock.ts';
import type { RoutingTuning } from './tuning.ts';

export interface WaitingLine<Gate> {
  readonly size: number;
  /**
   * Resolves with what `start` gives, which is called inside the dispatch that found a free slot.
   * @throws EngineError after a long outage; GateUnavailable; the signal's reason
   */
  join<T>(request: LineRequest<Gate>, start: () => T): Promise<T>;
  /** Lets every request go that may go now, and otherwise sets a time for the next look. */
  dispatch(): void;
  /** Gives the next request back that may go to the other engine. False: there is none. */
  handOver(to: Gate): boolean;
}

export interface LineRequest<Gate> {
  owner: Owner;
  signal: AbortSignal;
  place: PlaceInLine<Gate>;
  /** To the head of its own task: a repetition. */
  urgent: boolean;
}

/** Where else a request may be answered. */
export interface PlaceInLine<Gate> {
  /** Another engine could be called soon, should this one go down. */
  movable(): boolean;
  /** The engine is of the same rank, and serves the request as well. */
  goesTo(other: Gate): boolean;
}

/** Thrown to a request that another engine can take. Never leaves the catalog. */
export class GateUnavailable extends Error {
  override readonly name = 'GateUnavailable';
}

interface Waiting<Gate> {
  owner: Owner;
  place: PlaceInLine<Gate>;
  go(): void;
  giveUp(reason: unknown): void;
}

export function createWaitingLine<Gate>(options: {
  engine: string;
  tuning: Pick<RoutingTuning, 'failoverAfterMs' | 'patienceMs' | 'breaker'>;
  clock: Clock;
  unavailableForMs(): number;
  downForMs(): number;
  hasRoom(): boolean;
  /** What is told to requests that have waited for long. */
  fault(retryAfterMs: number): EngineError;
  /** The engine can be called again. */
  onRoom(): void;
}): WaitingLine<Gate> {
  const { engine, tuning, clock } = options;
  const queue = createFairQueue<Waiting<Gate>>();
  const waiting = new Set<Waiting<Gate>>();
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
      for (const entry of [...waiting]) if (entry.place.movable()) entry.giveUp(elsewhere);
    }
    if (options.downForMs() >= tuning.patienceMs || blockedMs > tuning.patienceMs) {
      const retryAfterMs = Math.max(blockedMs, tuning.breaker.probeIntervalMs);
      const down = options.fault(retryAfterMs);
      for (const entry of [...waiting]) entry.giveUp(down);
    }
  };

  return {
    get size() {
      return queue.size;
    },
    join: ({ owner, signal, place, urgent }, start) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const leave = (): void => {
          signal.removeEventListener('abort', abort);
          waiting.delete(entry);
        };
        const entry: Waiting<Gate> = {
          owner,
          place,
          go() {
            leave();
            resolve(start());
          },
          giveUp(reason) {
            leave();
            queue.remove(entry, owner);
            // Without waiting requests, a timer would keep a stopping process alive until the engine is due again.
            if (waiting.size === 0) forgetWake();
            reject(reason);
          },
        };
        const abort = (): void => entry.giveUp(signal.reason);
        signal.addEventListener('abort', abort, { once: true });
        waiting.add(entry);
        queue.push(entry, owner, urgent);
        dispatch();
      }),
    dispatch,
    handOver(to) {
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
interface FairQueue<T> {
  readonly size: number;
  /** `urgent` calls (retries) go to the head of their own task only. */
  push(item: T, owner: Owner, urgent?: boolean): void;
  /** The next one; with `accepts`, the first task's whose next one is accepted. */
  shift(accepts?: (item: T) => boolean): T | undefined;
  /** True when the item was still waiting. */
  remove(item: T, owner: Owner): boolean;
}

export interface Owner {
  account: string;
  task: string;
}

function createFairQueue<T>(): FairQueue<T> {
  // Maps keep insertion order: the first key is next, and a served key moves to the end.
  const accounts = new Map<string, Map<string, T[]>>();
  let size = 0;

  const drop = (owner: Owner, tasks: Map<string, T[]>): void => {
    if (tasks.get(owner.task)?.length === 0) tasks.delete(owner.task);
    if (tasks.size === 0) accounts.delete(owner.account);
  };

  return {
    get size() {
      return size;
    },
    push(item, owner, urgent = false) {
      const tasks = accounts.get(owner.account) ?? new Map<string, T[]>();
      accounts.set(owner.account, tasks);
      const items = tasks.get(owner.task) ?? [];
      tasks.set(owner.task, items);
      if (urgent) items.unshift(item);
      else items.push(item);
      size += 1;
    },
    shift(accepts = () => true) {
      for (const [accountName, tasks] of accounts) {
        for (const [taskName, items] of tasks) {
          const [item] = items;
          if (item === undefined || !accepts(item)) continue;
          items.shift();
          size -= 1;
          tasks.delete(taskName);
          if (items.length > 0) tasks.set(taskName, items);
          accounts.delete(accountName);
          if (tasks.size > 0) accounts.set(accountName, tasks);
          return item;
        }
      }
      return undefined;
    },
    remove(item, owner) {
      const tasks = accounts.get(owner.account);
      const items = tasks?.get(owner.task);
      const index = items?.indexOf(item) ?? -1;
      if (tasks === undefined || items === undefined || index < 0) return false;
      items.splice(index, 1);
      size -= 1;
      drop(owner, tasks);
      return true;
    },
  };
}
