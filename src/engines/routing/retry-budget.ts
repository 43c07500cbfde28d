/**
 * Keeps repeated calls to a share of the first ones, so that many failing processes do not double their own load. Every
 * first call earns a fifth of a repetition; a trickle by time keeps the last calls of a run from waiting for ever.
 */
export interface RetryBudget {
  earn(): void;
  /** Spends one repetition; otherwise milliseconds until the trickle brings the next. */
  spend(now: number): number;
}

export interface RetryBudgetTuning {
  /** Repetitions earned per first call. */
  share: number;
  /** Held at the start and at most. */
  burst: number;
  /** One more repetition per interval in any case. */
  trickleMs: number;
}

export function createRetryBudget(tuning: RetryBudgetTuning, startedAt: number): RetryBudget {
  let tokens = tuning.burst;
  let trickledAt = startedAt;
  return {
    earn() {
      tokens = Math.min(tuning.burst, tokens + tuning.share);
    },
    spend(now) {
      const drops = Math.floor((now - trickledAt) / tuning.trickleMs);
      if (drops > 0) {
        trickledAt += drops * tuning.trickleMs;
        tokens = Math.min(tuning.burst, tokens + drops);
      }
      if (tokens >= 1) {
        tokens -= 1;
        return 0;
      }
      return Math.max(1, trickledAt + tuning.trickleMs - now);
    },
  };
}

export interface RetryDelayTuning {
  baseMs: number;
  ceilingMs: number;
}

/** Full jitter: anything between nothing and the doubled base. */
export function retryDelayMs(tuning: RetryDelayTuning, attempt: number, random: () => number): number {
  return random() * Math.min(tuning.ceilingMs, tuning.baseMs * 2 ** (attempt - 1));
}
