/**
 * Finds how many calls a server accepts at once, by additive increase and multiplicative decrease. It needs no configuration, and no
 * coordination between the processes that use the same server. While nothing was refused, every answer that begins makes room for one more
 * call. That doubles the limit with each round, long before the answers are complete. After the first refusal a whole round of answers, and
 * four at least, does. A refusal cuts the limit to nine tenths of the calls that the server has accepted.
 */

import type { RoutingTuning } from './tuning.ts';

const decrease = 0.9;
/** A server with one place would otherwise refuse a call for each one that it answers. */
const fewestAnswersPerStep = 4;
/** A server that is slow for a moment does not lose more than this at once. */
const mostForSlowness = 0.5;

/** @param ceiling the operator's */
export function createConcurrencyLimiter({ initial, kneeRatio }: RoutingTuning['limiter'], ceiling: number) {
  const excessOf = createSlowness(kneeRatio);
  let limit = Math.min(initial, ceiling);
  let inFlight = 0;
  let wasRefused = false;
  let lastCutAt = Number.NEGATIVE_INFINITY;

  const setLimit = (wanted: number): void => {
    limit = Math.max(1, Math.min(ceiling, wanted));
  };

  return {
    get limit() {
      return Math.floor(limit);
    },
    get inFlight() {
      return inFlight;
    },
    /** Exactly one of the last three is called at the end of the call. */
    started(startedAt: number) {
      inFlight += 1;
      let hasBegun = false;
      const begun = (): boolean => {
        const grows = !hasBegun && inFlight >= Math.floor(limit);
        if (grows) setLimit(limit + (wasRefused ? 1 / Math.max(fewestAnswersPerStep, limit) : 1));
        hasBegun = true;
        return grows;
      };
      return {
        /** Words have come: the server works on it. Engines that do not stream never tell. @returns true when that made room */
        begun,
        succeeded(now: number, outputTokens: number) {
          begun();
          const excess = excessOf(now - startedAt, outputTokens, inFlight);
          inFlight -= 1;
          if (excess > 1) {
            wasRefused = true;
            setLimit(limit * Math.max(mostForSlowness, 1 / excess));
          }
        },
        /** Refused because of load: 429, 503, 529. */
        throttled(now: number) {
          inFlight -= 1;
          wasRefused = true;
          // Refusals of one burst show the same capacity: only the count of accepted calls becomes more exact.
          const isSameBurst = startedAt <= lastCutAt;
          if (!isSameBurst) lastCutAt = now;
          setLimit(Math.min(limit, inFlight) * (isSameBurst ? 1 : decrease));
        },
        /** Ended in any other way: says nothing about capacity. */
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
 * @returns what tells after each answer by which factor the tolerated slowness is exceeded; 1 or less is fine
 */
function createSlowness(
  toleratedRatio: number,
): (durationMs: number, outputTokens: number, concurrency: number) => number {
  let best = Number.POSITIVE_INFINITY;
  let costs: number[] = [];
  return (durationMs, outputTokens, concurrency) => {
    costs.push(durationMs / (outputTokens + 30));
    if (costs.length < Math.max(10, Math.min(24, concurrency))) return 0;
    costs.sort((a, b) => a - b);
    const at = (share: number): number => costs[Math.floor(costs.length * share)] ?? 0;
    best = Math.min(best * 1.01, at(0.1));
    const excess = at(0.5) / (best * toleratedRatio);
    costs = [];
    return excess;
  };
}
