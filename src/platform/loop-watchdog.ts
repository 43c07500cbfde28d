/**
 * Measures how late this process comes to its own work. A loop that is busy for a second answers nobody for a second and
 * sends no heartbeats, so it is the first thing to look at when one partner seems to hold up another.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

const intervalMs = 1_000;
const resolutionMs = 20;
/** Ten heartbeats would have to be missed before a task is lost; partners notice much sooner. */
const warnAfterMs = 1_000;

export function watchLoop({ role, metrics, log }: { role: string; metrics: Metrics; log: Log }): () => Promise<void> {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  const timer = setInterval(() => {
    // The histogram counts the interval that it waits itself.
    const longestMs = Math.max(0, delays.max / 1e6 - resolutionMs);
    delays.reset();
    metrics.loopDelay.observe({ role }, longestMs / 1000);
    if (longestMs >= warnAfterMs)
      log.warn({ delayMs: Math.round(longestMs) }, 'this process was busy and answered nobody');
  }, intervalMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    delays.disable();
  };
}
