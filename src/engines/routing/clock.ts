/** Time as a dependency, so that tests of waiting, probing and backing off take no real time. */
export interface Clock {
  now(): number;
  /** Calls back once after the delay; the result cancels. */
  schedule(delayMs: number, callback: () => void): () => void;
}

/** setTimeout fires at once for anything above 2^31 − 1 ms; a Retry-After may well be longer. */
const longestTimeoutMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  schedule(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(longestTimeoutMs, Math.max(0, delayMs)));
    return () => clearTimeout(timer);
  },
};

/** @throws the signal's reason */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.schedule(delayMs, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
