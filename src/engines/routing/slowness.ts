/**
 * Servers that queue instead of refusing show their limit by becoming slow. Work is measured as answer tokens plus the 30
 * that the time to the first token is worth; the fastest tenth so far is the reference, forgotten by 1 % per round.
 */
export interface Slowness {
  /** By which factor the tolerated slowness is exceeded; 1 or less is fine. */
  observed(durationMs: number, outputTokens: number, concurrency: number): number;
}

export function createSlowness(toleratedRatio: number): Slowness {
  let best = Number.POSITIVE_INFINITY;
  let costs: number[] = [];
  return {
    observed(durationMs, outputTokens, concurrency) {
      costs.push(durationMs / (outputTokens + 30));
      if (costs.length < Math.max(10, Math.min(24, concurrency))) return 0;
      costs.sort((a, b) => a - b);
      const at = (share: number): number => costs[Math.floor(costs.length * share)] ?? 0;
      best = Math.min(best * 1.01, at(0.1));
      const excess = at(0.5) / (best * toleratedRatio);
      costs = [];
      return excess;
    },
  };
}
