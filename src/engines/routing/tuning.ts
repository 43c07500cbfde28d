import type { LimiterTuning } from './concurrency-limiter.ts';
import type { RetryBudgetTuning, RetryDelayTuning } from './retry-budget.ts';
import type { StragglerTuning } from './stragglers.ts';

export interface RoutingTuning {
  breaker: {
    failuresToOpen: number;
    /** Number of last calls that count. */
    window: number;
    probeIntervalMs: number;
    /** A probe counts as accepted after this long, or after four times the longest failure. */
    acceptedAfterMs: number;
  };
  limiter: Omit<LimiterTuning, 'ceiling'>;
  budget: RetryBudgetTuning;
  delay: RetryDelayTuning;
  stragglers: StragglerTuning;
  /** Calls of one request to one engine that may fail on the way; probes and refusals for load do not count. */
  attempts: number;
  /** How often one request may be refused for load before that counts as a failure. */
  refusals: number;
  /** Calls at once to an engine of which no answer could be read yet. */
  unprovenCalls: number;
  /** An engine that cannot be called for longer than this is skipped if there is another. */
  failoverAfterMs: number;
  /** Requests wait this long for an engine that is down, then the caller is told when to come back. */
  patienceMs: number;
  /** An engine with a used-up budget is not called for this long: only a person can help. */
  spendLimitPauseMs: number;
}

export const defaultTuning: RoutingTuning = {
  breaker: { failuresToOpen: 10, window: 16, probeIntervalMs: 10_000, acceptedAfterMs: 2_000 },
  limiter: { initial: 8, kneeRatio: 3 },
  budget: { share: 0.2, burst: 20, trickleMs: 2_000 },
  delay: { baseMs: 500, ceilingMs: 20_000 },
  stragglers: {
    share: 0.03,
    initial: 2,
    burst: 8,
    reserve: 4,
    lateRatio: 2,
    lateRatioWhenIdle: 1.1,
    hopelessRatio: 2.5,
    hopelessRatioWhenIdle: 1.5,
    hopelessMs: 3_000,
  },
  attempts: 4,
  refusals: 100,
  unprovenCalls: 2,
  failoverAfterMs: 5_000,
  patienceMs: 15 * 60_000,
  spendLimitPauseMs: 60_000,
};

/** The same behaviour `scale` times as fast, for tests and benchmarks. */
export function scaledTuning(scale: number): RoutingTuning {
  const { breaker, limiter, budget, delay, stragglers, ...rest } = defaultTuning;
  return {
    ...rest,
    breaker: {
      ...breaker,
      probeIntervalMs: breaker.probeIntervalMs * scale,
      acceptedAfterMs: breaker.acceptedAfterMs * scale,
    },
    limiter,
    budget: { ...budget, trickleMs: budget.trickleMs * scale },
    delay: { baseMs: delay.baseMs * scale, ceilingMs: delay.ceilingMs * scale },
    stragglers: { ...stragglers, hopelessMs: stragglers.hopelessMs * scale },
    failoverAfterMs: rest.failoverAfterMs * scale,
    patienceMs: rest.patienceMs * scale,
    spendLimitPauseMs: rest.spendLimitPauseMs * scale,
  };
}
