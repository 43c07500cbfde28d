/**
 * Finds how many calls a server accepts at once, by additive increase and multiplicative decrease. It needs no configuration, and no
 * coordination between the processes that use the same server. While nothing was refused, every answer that begins makes room for one more
 * call. That doubles the limit with each round, long before the answers are complete. After the first refusal a whole round of answers, and
 * four at least, does. A refusal cuts the limit to nine tenths of the calls that the server has accepted.
 */

export interface ConcurrencyLimiter {
  readonly limit: number;
  readonly inFlight: number;
  started(now: number): LimiterCall;
}

/** One call on its way; exactly one of the last three is called at its end. */
export interface LimiterCall {
  /** Words have come: the server works on it. Engines that do not stream never tell. @returns true when that made room */
  begun(): boolean;
  succeeded(now: number, outputTokens: number): void;
  /** Refused because of load: 429, 503, 529. */
  throttled(now: number): void;
  /** Ended in any other way: says nothing about capacity. */
  ended(): void;
}

export interface LimiterTuning {
  initial: number;
  /** The operator's ceiling. */
  ceiling: number;
  /** Back off when calls take this many times longer per unit of work than at their best. */
  kneeRatio: number;
}

const decrease = 0.9;
/** A server with one place would otherwise refuse a call for each one that it answers. */
const fewestAnswersPerStep = 4;
/** A server that is slow for a moment does not lose more than this at once. */
const mostForSlowness = 0.5;

export function createConcurrencyLimiter(tuning: LimiterTuning): ConcurrencyLimiter {
  const slowness = createSlowness(tuning.kneeRatio);
  let limit = Math.min(tuning.initial, tuning.ceiling);
  let inFlight = 0;
  let wasRefused = false;
  let lastCutAt = Number.NEGATIVE_INFINITY;

  const setLimit = (wanted: number): void => {
    limit = Math.max(1, Math.min(tuning.ceiling, wanted));
  };

  return {
    get limit() {
      return Math.floor(limit);
    },
    get inFlight() {
      return inFlight;
    },
    started(startedAt) {
      inFlight += 1;
      let hasBegun = false;
      const begun = (): boolean => {
        const grows = !hasBegun && inFlight >= Math.floor(limit);
        if (grows) setLimit(limit + (wasRefused ? 1 / Math.max(fewestAnswersPerStep, limit) : 1));
        hasBegun = true;
        return grows;
      };
      return {
        begun,
        succeeded(now, outputTokens) {
          begun();
          const excess = slowness.observed(now - startedAt, outputTokens, inFlight);
          inFlight -= 1;
          if (excess > 1) {
            wasRefused = true;
            setLimit(limit * Math.max(mostForSlowness, 1 / excess));
          }
        },
        throttled(now) {
          inFlight -= 1;
          wasRefused = true;
          // Refusals of one burst show the same capacity: only the count of accepted calls becomes more exact.
          const isSameBurst = startedAt <= lastCutAt;
          if (!isSameBurst) lastCutAt = now;
          setLimit(Math.min(limit, inFlight) * (isSameBurst ? 1 : decrease));
        },
        ended() {
          inFlight -= 1;
        },
      };
    },
  };
}

/**
 * Servers that queue instead of refusing show their limit by becoming slow. Work is measured as answer tokens plus the 30
 * that the time to the first token is worth. The fastest tenth so far is the reference, forgotten by 1 % per round.
 */
interface Slowness {
  /** By which factor the tolerated slowness is exceeded; 1 or less is fine. */
  observed(durationMs: number, outputTokens: number, concurrency: number): number;
}

function createSlowness(toleratedRatio: number): Slowness {
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
