/**
 * Finds how many calls a server accepts at once, without configuration and without coordination between the processes that
 * use the same server.
 *
 * Slow start: every answered call makes room for one more, which doubles the limit per round of answers. But a server refuses at
 * once and answers only after seconds, so growth does not wait for answers alone: while calls are queued, the limit doubles
 * every ramp interval up to 32, and rises by a quarter from there, until a call is refused (from 8 to 32 slots in half a
 * second, where answers alone would take two rounds, 37 s at 18.6 s each). The interval is longer than a refusal
 * usually takes, so that the last step costs a handful of refused calls and not a hundred; it is shorter than a quarter of a second
 * only where whole answers were seen to take less. A refusal shows the capacity exactly: the number of accepted calls. From there
 * on additive increase and multiplicative decrease: a little below it (5 %), back up to it within a fraction of a round, then one
 * extra call per round, less often each time it is refused.
 * A refusal below what was served since the one before is an accident. Three in a row without an accepted call
 * mean that the server's capacity was cut: the limit falls by 30 %, and again with every further refusal.
 */
export interface ConcurrencyLimiter {
  readonly limit: number;
  readonly inFlight: number;
  /** The limit rises by the clock. */
  readonly ramping: boolean;
  /** Whether one more call may be sent now. */
  hasRoom(): boolean;
  started(now: number): LimiterCall;
  /** Called every ramp interval while calls are queued. */
  tick(): void;
}

export interface LimiterCall {
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
  rampIntervalMs: number;
  /** A call that was not refused within this time (or twice the usual refusal) counts as accepted. */
  refusalWindowMs: number;
  /** Back off when calls take this many times longer per unit of work than at their best. */
  kneeRatio: number;
}

const decrease = 0.95;
const hardDecrease = 0.7;
const doublesUpTo = 32;
/** Two refusals in a row happen by accident, once in a thousand calls at 3 % random refusals; three do not. */
const refusalsForHardCut = 3;
const doubtsToEndRamp = 2;

interface SentCall {
  startedAt: number;
  /** Calls in flight from then on, itself included. */
  level: number;
}

export function createConcurrencyLimiter(tuning: LimiterTuning): ConcurrencyLimiter {
  const calls = new Set<SentCall>();
  let limit = Math.min(tuning.initial, tuning.ceiling);
  let ramping = true;
  let isFirstRamp = true;
  /** The last increase; 0 after a refusal. */
  let rampStep = 1;
  /** Accepted calls when the ramp was last refused; 0 once more than that were accepted. */
  let doubtedAt = 0;
  /** How often in a row the ramp was refused there. */
  let doubts = 0;
  /** The most calls at once that were served since the last refusal. */
  let proven = 0;
  /** Not after slowness: a server that never refuses would be ramped up again and again. */
  let mayRampAgain = true;
  /** Accepted calls when the server last refused one. */
  let capacity = tuning.ceiling;
  let lastCutAt = Number.NEGATIVE_INFINITY;
  let admittedSinceCut = true;
  let refusalMs = tuning.refusalWindowMs / 4;
  /** Successes since the limit last changed, and how many rounds of them the next step waits for. */
  let successes = 0;
  let patienceRounds = 0.5;
  let successesSinceCut = 0;
  let stepped = false;
  let refusedInRow = 0;
  let goodSteps = 0;
  const knee = createKneeDetector(tuning.kneeRatio);

  const windowMs = (): number => Math.min(tuning.refusalWindowMs, Math.max(2 * refusalMs, tuning.refusalWindowMs / 20));
  const saturated = (): boolean => calls.size >= Math.floor(limit);
  const letIn = (call: SentCall, now: number): boolean =>
    call.startedAt > lastCutAt && now - call.startedAt > windowMs();

  const cut = (now: number, started: number): void => {
    const accepted = Math.max(1, calls.size);
    // A burst that went out around the last refusal shows the same thing again: only the count is new.
    if (started <= lastCutAt + windowMs()) {
      limit = Math.min(limit, accepted);
      if (accepted >= capacity) capacity = accepted;
      if (ramping) doubtedAt = Math.min(doubtedAt, accepted);
      return;
    }
    const served = [...calls].filter((call) => letIn(call, now));
    if (admittedSinceCut || served.length > 0) refusedInRow = 0;
    refusedInRow += 1;
    const isAccident = accepted < Math.max(proven, ...served.map(({ level }) => level));
    proven = 0;
    if (refusedInRow >= refusalsForHardCut) {
      limit = Math.max(1, Math.min(limit, accepted) * hardDecrease);
      capacity = Math.ceil(limit);
      patienceRounds = 0.25;
    } else if (isAccident) {
      // More calls were served at once since the last refusal.
      lastCutAt = now;
      admittedSinceCut = false;
      successesSinceCut = 0;
      return;
    } else if (ramping && (accepted > doubtedAt + 1 || doubts < doubtsToEndRamp)) {
      // It may have been an accident: one more call finds out.
      doubts = accepted > doubtedAt + 1 ? 1 : doubts + 1;
      doubtedAt = accepted;
      limit = accepted;
      rampStep = 0;
      lastCutAt = now;
      admittedSinceCut = false;
      return;
    } else if (ramping || accepted >= capacity) {
      if (!ramping) patienceRounds = Math.min(2, patienceRounds * 2);
      limit = Math.max(1, Math.min(limit, accepted) * decrease);
      capacity = accepted;
    } else {
      // Below the known capacity: an accident, unless it happens again within half a round.
      if (successesSinceCut < limit / 2) capacity = accepted;
      limit = Math.min(limit, accepted);
    }
    ramping = false;
    isFirstRamp = false;
    mayRampAgain = true;
    lastCutAt = now;
    admittedSinceCut = false;
    successes = 0;
    successesSinceCut = 0;
    stepped = false;
    goodSteps = 0;
  };

  /** One call more than the known capacity, and whether the last such step was accepted. */
  const step = (): void => {
    if (stepped) {
      patienceRounds = 0.25;
      goodSteps += 1;
      capacity = Math.max(capacity, Math.floor(limit));
      // Accepted twice beyond the assumed capacity: there is room again, so find out how much.
      if (goodSteps >= 2 && mayRampAgain) {
        ramping = true;
        rampStep = 1;
        doubtedAt = 0;
        goodSteps = 0;
        stepped = false;
        return;
      }
    }
    limit = Math.min(tuning.ceiling, Math.floor(limit) + 1);
    stepped = true;
    successes = 0;
  };

  /** After a refusal the ramp continues with a single call; otherwise the first one doubles the limit, and later ones their step. */
  const nextStep = (): number => {
    if (doubtedAt > 0) return 1;
    if (isFirstRamp && limit < doublesUpTo) return Math.min(limit, doublesUpTo - limit);
    return Math.max(1, Math.min(2 * rampStep, Math.floor(limit / 4)));
  };

  const grow = (): void => {
    successes += 1;
    if (ramping) {
      if (doubtedAt === 0) limit = Math.min(tuning.ceiling, limit + 1);
      return;
    }
    if (limit < Math.min(capacity, tuning.ceiling)) {
      if (successes >= Math.max(1, limit / 16)) {
        limit = Math.min(capacity, tuning.ceiling, limit + 1);
        successes = 0;
      }
    } else if (limit < tuning.ceiling && successes >= Math.max(4, limit * patienceRounds)) step();
  };

  return {
    get limit() {
      return Math.max(1, Math.floor(limit));
    },
    get inFlight() {
      return calls.size;
    },
    get ramping() {
      return ramping && limit < tuning.ceiling;
    },
    hasRoom: () => calls.size < Math.max(1, Math.floor(limit)),
    started(now) {
      const call = { startedAt: now, level: calls.size + 1 };
      calls.add(call);
      return {
        succeeded(at, outputTokens) {
          successesSinceCut += 1;
          const wasFull = saturated();
          calls.delete(call);
          if (call.startedAt > lastCutAt) {
            admittedSinceCut = true;
            proven = Math.max(proven, call.level);
          }
          const excess = knee.excess(at - call.startedAt, outputTokens, calls.size + 1);
          if (excess > 1) {
            ramping = false;
            mayRampAgain = false;
            limit = Math.max(1, limit * Math.max(0.5, 1 / excess));
            capacity = Math.max(1, Math.floor(limit));
            successes = 0;
          } else if (wasFull) grow();
        },
        throttled(at) {
          calls.delete(call);
          refusalMs += 0.3 * (at - call.startedAt - refusalMs);
          cut(at, call.startedAt);
        },
        ended() {
          calls.delete(call);
        },
      };
    },
    tick() {
      if (!ramping || !saturated()) return;
      // What was sent an interval ago and not refused is being served.
      if (rampStep > 0 && calls.size > doubtedAt) doubtedAt = 0;
      rampStep = nextStep();
      limit = Math.min(tuning.ceiling, limit + rampStep);
    },
  };
}

/**
 * Servers that queue instead of refusing show their limit by becoming slow. Work is measured as answer tokens plus the 30
 * that the time to the first token is worth; the fastest tenth so far is the reference, forgotten by 1 % per round.
 * Returns by which factor the tolerated slowness is exceeded; 1 or less is fine.
 */
function createKneeDetector(ratio: number): {
  excess(durationMs: number, outputTokens: number, concurrency: number): number;
} {
  let best = Number.POSITIVE_INFINITY;
  let costs: number[] = [];
  return {
    excess(durationMs, outputTokens, concurrency) {
      costs.push(durationMs / (outputTokens + 30));
      if (costs.length < Math.max(10, Math.min(24, concurrency))) return 0;
      costs.sort((a, b) => a - b);
      const at = (share: number): number => costs[Math.floor(costs.length * share)] ?? 0;
      best = Math.min(best * 1.01, at(0.1));
      const excess = at(0.5) / (best * ratio);
      costs = [];
      return excess;
    },
  };
}
