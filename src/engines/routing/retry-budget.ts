import type { RoutingTuning } from './tuning.ts';

/**
 * Keeps repeated calls to a share of the first ones, so that many failing processes do not double their own load. Every
 * first call earns a fifth of a repetition; a trickle by time keeps the last calls of a run from waiting for ever.
 */
export function createRetryBudget({ share, burst, trickleMs }: RoutingTuning['budget'], startedAt: number) {
  let tokens = burst;
  let trickledAt = startedAt;
  return {
    earn() {
      tokens = Math.min(burst, tokens + share);
    },
    /** Spends one repetition; otherwise milliseconds until the trickle brings the next. */
    spend(now: number): number {
      const drops = Math.floor((now - trickledAt) / trickleMs);
      trickledAt += drops * trickleMs;
      tokens = Math.min(burst, tokens + drops);
      if (tokens < 1) return Math.max(1, trickledAt + trickleMs - now);
      tokens -= 1;
      return 0;
    },
  };
}

/** Full jitter: anything between nothing and the doubled base. */
export function retryDelayMs(tuning: RoutingTuning['delay'], attempt: number, random: () => number): number {
  return random() * Math.min(tuning.ceilingMs, tuning.baseMs * 2 ** (attempt - 1));
}
