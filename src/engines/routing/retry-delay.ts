export interface RetryDelayTuning {
  baseMs: number;
  ceilingMs: number;
}

/** Full jitter: anything between nothing and the doubled base. The wait that the server asked for is the minimum. */
export function retryDelayMs(tuning: RetryDelayTuning, attempt: number, random: () => number, floorMs = 0): number {
  return floorMs + random() * Math.min(tuning.ceilingMs, tuning.baseMs * 2 ** (attempt - 1));
}
