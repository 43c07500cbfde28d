export type RoutingTuning = typeof defaultTuning;

export const defaultTuning = {
  breaker: {
    failuresToOpen: 10,
    /** Number of last calls that count. */
    window: 16,
    probeIntervalMs: 10_000,
    /** A probe counts as accepted after this long, or after four times the longest failure. */
    acceptedAfterMs: 2_000,
  },
  limiter: {
    initial: 8,
    /** Back off when calls take this many times longer per unit of work than at their best. */
    kneeRatio: 3,
  },
  budget: {
    /** Repetitions earned per first call. */
    share: 0.2,
    /** Held at the start and at most. */
    burst: 20,
    /** One more repetition per interval in any case. */
    trickleMs: 2_000,
  },
  delay: { baseMs: 500, ceilingMs: 20_000 },
  stragglers: {
    /** Second asks earned per call. */
    share: 0.03,
    /** Held at the start, and at most. */
    initial: 2,
    burst: 8,
    /** Kept for the time when nobody waits for a slot: then one late call is what a whole book waits for. */
    reserve: 4,
    /** Late after so many times the usual duration: sooner when nobody waits for a slot. */
    lateRatio: 2,
    lateRatioWhenIdle: 1.1,
    /** Hopeless after so many times the usual duration, sooner when nobody waits for a slot, and not before so many milliseconds. */
    hopelessRatio: 2.5,
    hopelessRatioWhenIdle: 1.5,
    hopelessMs: 3_000,
  },
  /** Calls of one request to one engine that may fail on the way; probes and refusals for load do not count. */
  attempts: 4,
  /** How often one request may be refused for load before that counts as a failure. */
  refusals: 100,
  /** Calls at once to an engine of which no answer could be read yet. */
  unprovenCalls: 2,
  /** An engine that cannot be called for longer than this is skipped if there is another. */
  failoverAfterMs: 5_000,
  /** Requests wait this long for an engine that is down, then the caller is told when to come back. */
  patienceMs: 15 * 60_000,
  /** An engine with a used-up budget is not called for this long: only a person can help. */
  spendLimitPauseMs: 60_000,
};
