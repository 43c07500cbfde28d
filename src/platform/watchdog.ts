/**
 * Ends a process that does nothing any more, so that its service starts it again. A thread waits for signs of life: that the
 * event loop turns, and that each loop of work goes round. A process whose loop is blocked for ever cannot do that itself.
 */
import { Worker } from 'node:worker_threads';
import type { Log } from './log.ts';

export interface WatchdogOptions {
  /** 0 = never. */
  limitSeconds: number;
  /** By loop, a value that changes as long as it goes round. */
  signs: () => Signs;
  log: Log;
}

export type Signs = Record<string, number>;

export interface WatchdogSettings {
  limitSeconds: number;
  logLevel: string;
}

/** Returns what ends the watch. */
export function startWatchdog({ limitSeconds, signs, log }: WatchdogOptions): () => Promise<void> {
  if (limitSeconds === 0) return async () => {};
  const settings: WatchdogSettings = { limitSeconds, logLevel: log.level };
  const thread = new Worker(new URL('./watchdog-main.ts', import.meta.url), { workerData: settings });
  thread.on('error', (err) => log.error({ err }, 'the watchdog ended'));
  thread.unref();
  const timer = setInterval(() => thread.postMessage(signs()), checkIntervalMs(limitSeconds));
  timer.unref();
  return async () => {
    clearInterval(timer);
    await thread.terminate();
  };
}

const checksPerLimit = 10;

export function checkIntervalMs(limitSeconds: number): number {
  return (limitSeconds * 1000) / checksPerLimit;
}

/**
 * Counts checks and not time: after a machine has slept, or a process was paused, the clock has jumped and nobody was idle.
 */
export class SilenceCounter {
  readonly #loops = new Map<string, { sign: number; repeated: number }>();
  #unheard = 0;

  hear(signs: Signs): void {
    this.#unheard = 0;
    for (const [loop, sign] of Object.entries(signs)) {
      const last = this.#loops.get(loop);
      this.#loops.set(loop, { sign, repeated: last?.sign === sign ? last.repeated + 1 : 0 });
    }
  }

  /** The loop that has been silent for as many checks as the limit has. */
  check(): string | undefined {
    this.#unheard += 1;
    if (this.#unheard > checksPerLimit) return 'event loop';
    for (const [loop, { repeated }] of this.#loops) if (repeated >= checksPerLimit) return loop;
    return undefined;
  }
}
