export interface RetryDelayTuning {
  baseMs: number;
  ceilingMs: number;
}

/** Full jitter: anything between nothing and the doubled base. */
export function retryDelayMs(tuning: RetryDelayTuning, attempt: number, random: () => number): number {
  return random() * Math.min(tuning.ceilingMs, tuning.baseMs * 2 ** (attempt - 1));
}
