import { defaultTuning, type RoutingTuning } from '../../src/engines/routing/tuning.ts';

/** The same behaviour `scale` times as fast, for tests and benchmarks. */
export function scaledTuning(scale: number): RoutingTuning {
  const { breaker, budget, delay, stragglers, ...rest } = defaultTuning;
  return {
    ...rest,
    breaker: {
      ...breaker,
      probeIntervalMs: breaker.probeIntervalMs * scale,
      acceptedAfterMs: breaker.acceptedAfterMs * scale,
    },
    budget: { ...budget, trickleMs: budget.trickleMs * scale },
    delay: { baseMs: delay.baseMs * scale, ceilingMs: delay.ceilingMs * scale },
    stragglers: { ...stragglers, hopelessMs: stragglers.hopelessMs * scale },
    failoverAfterMs: rest.failoverAfterMs * scale,
    patienceMs: rest.patienceMs * scale,
    spendLimitPauseMs: rest.spendLimitPauseMs * scale,
  };
}
