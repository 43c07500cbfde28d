import type { Clock } from '../../src/engines/routing/clock.ts';

/** Time that jumps from timer to timer: hours of waiting pass in milliseconds, and every run is the same. */
export interface VirtualClock extends Clock {
  /** Lets time pass until the promise settles. */
  until<T>(promise: Promise<T>): Promise<T>;
  advance(durationMs: number): Promise<void>;
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

export function createVirtualClock(): VirtualClock {
  let now = 0;
  let sequence = 0;
  const timers = new Map<number, { at: number; callback: () => void }>();

  const schedule = (delayMs: number, callback: () => void): (() => void) => {
    const id = sequence++;
    timers.set(id, { at: now + Math.max(0, delayMs), callback });
    return () => timers.delete(id);
  };
  /** Fires the earliest timer due by `limit`; false when there is none. */
  const fireNext = (limit: number): boolean => {
    let next: [number, { at: number; callback: () => void }] | undefined;
    for (const entry of timers) if (next === undefined || entry[1].at < next[1].at) next = entry;
    if (next === undefined || next[1].at > limit) return false;
    timers.delete(next[0]);
    now = Math.max(now, next[1].at);
    next[1].callback();
    return true;
  };
  // Everything that timers set off is promises; a turn of the event loop runs them all.
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  return {
    now: () => now,
    schedule,
    sleep: (durationMs, signal) =>
      new Promise((resolve, reject) => {
        const cancel = schedule(durationMs, resolve);
        signal?.addEventListener('abort', () => {
          cancel();
          reject(signal.reason);
        });
      }),
    async advance(durationMs) {
      const end = now + durationMs;
      await settle();
      while (fireNext(end)) await settle();
      now = end;
    },
    async until(promise) {
      let done = false;
      const watch = (): void => {
        done = true;
      };
      promise.then(watch, watch);
      await settle();
      while (!done) {
        if (!fireNext(Number.POSITIVE_INFINITY)) throw new Error('everything waits and no timer is set');
        await settle();
      }
      return promise;
    },
  };
}
