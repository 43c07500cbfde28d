import type { Log } from '../platform/log.ts';

/**
 * Ctrl-C in a terminal arrives twice: the terminal sends it to all foreground processes, and npm passes its own on. A second signal
 * therefore ends the process at once only if it comes later than this.
 */
const sameSignalMs = 1_000;

/** We promise 20 s. A stop that takes longer than this ends with a kill, and the next start recovers. */
const stopTimeoutMs = 19_000;

/** From now on the process has that long to stop. */
export function limitStop(log: Log): void {
  setTimeout(() => {
    log.error('the stop took too long');
    process.exit(1);
  }, stopTimeoutMs).unref();
}

/**
 * Resolves with the first signal that asks to stop. A second one ends the process at once. The listeners stay: between the end of
 * one and the start of the next a signal would kill the process, and npm's arrives in the same millisecond.
 */
export function firstStopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let stoppedAtMs: number | undefined;
    const listen = (signal: NodeJS.Signals, exitCode: number) =>
      process.on(signal, () => {
        stoppedAtMs ??= performance.now();
        if (performance.now() - stoppedAtMs > sameSignalMs) process.exit(exitCode);
        resolve(signal);
      });
    listen('SIGINT', 130);
    listen('SIGTERM', 143);
  });
}
