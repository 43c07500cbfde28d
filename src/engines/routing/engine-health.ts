/**
 * Whether an engine may be called now. Three things forbid it: the breaker of a server that is down, a wait that the server asked
 * for, and an allowance that is used up. Its answers tell of the last (`x-ratelimit-remaining-…`), so that the refusal never
 * comes.
 */
import type { RateAllowance } from '../engine.ts';
import type { EngineError } from '../engine-error.ts';
import { type BreakerState, createCircuitBreaker } from './circuit-breaker.ts';
import type { Clock } from './clock.ts';
import { retryDelayMs } from './retry-budget.ts';
import type { RoutingTuning } from './tuning.ts';

export interface EngineHealth {
  readonly state: BreakerState;
  /** 0 = now. */
  unavailableForMs(): number;
  pausedForMs(): number;
  /** Since the breaker opened; 0 while it is closed. */
  downForMs(): number;
  sent(): HealthCall;
}

/** One call on its way; exactly one of the last three is called at its end. */
export interface HealthCall {
  readonly isProbe: boolean;
  /** What the server says is left, as soon as it does. */
  told(allowances: readonly RateAllowance[]): void;
  answered(tokens: number): void;
  failed(error: EngineError): void;
  cancelled(): void;
}

export function createEngineHealth(
  tuning: Pick<RoutingTuning, 'breaker' | 'delay' | 'spendLimitPauseMs'>,
  clock: Clock,
  random: () => number,
  onBreaker: (state: BreakerState) => void,
): EngineHealth {
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let downSince: number | undefined;
  let refusedAt = Number.NEGATIVE_INFINITY;
  let refusalsInRow = 0;
  const allowances = createRateAllowances();
  const breaker = createCircuitBreaker(tuning.breaker, (state) => {
    onBreaker(state);
    if (state === 'closed') downSince = undefined;
    else downSince ??= clock.now();
  });

  const pause = (durationMs: number): void => {
    pausedUntil = Math.max(pausedUntil, clock.now() + durationMs);
  };

  /**
   * Each request backs off by itself, but hundreds may be queued: a server that refuses one after the other
   * without a Retry-After gets longer and longer breaks from all of them. A burst counts once.
   */
  const refused = (startedAt: number): void => {
    if (startedAt < refusedAt) return;
    refusedAt = clock.now();
    refusalsInRow += 1;
    if (refusalsInRow > 1) pause(retryDelayMs(tuning.delay, refusalsInRow - 1, random));
  };

  const pausedForMs = (): number => Math.max(0, pausedUntil - clock.now(), allowances.waitMs(clock.now()));

  return {
    get state() {
      return breaker.state;
    },
    pausedForMs,
    unavailableForMs: () => Math.max(pausedForMs(), breaker.waitMs(clock.now())),
    downForMs: () => (downSince === undefined ? 0 : clock.now() - downSince),
    sent() {
      const startedAt = clock.now();
      const probe = breaker.sent(startedAt);
      const counted = allowances.sent();
      return {
        isProbe: probe.isProbe,
        told: (left) => counted.told(left, clock.now()),
        answered(tokens) {
          refusalsInRow = 0;
          counted.used(tokens);
          probe.answered();
        },
        failed(error) {
          if (error.kind === 'rate-limited') refused(startedAt);
          if (error.kind === 'spend-limit') probe.tripped(clock.now(), tuning.spendLimitPauseMs);
          else if (looksDown(error)) probe.failed(clock.now());
          else probe.answered();
          if (error.retryAfterMs !== undefined) pause(error.retryAfterMs);
        },
        cancelled: () => probe.cancelled(),
      };
    },
  };
}

/** A refused key or an unknown model fails every call alike, so it opens the breaker as an outage does. */
function looksDown(error: EngineError): boolean {
  if (error.kind === 'rejected') return error.status === 401 || error.status === 403 || error.status === 404;
  return error.kind === 'overloaded' || error.kind === 'transport' || error.kind === 'timeout';
}

/**
 * What may still be sent within the limits of a provider, from what it says with each answer. A header tells what was left when its call
 * arrived, so the calls that went out after that one are taken off.
 */
interface RateAllowances {
  /** Milliseconds until a call may go out: 0 = now. */
  waitMs(now: number): number;
  sent(): CountedCall;
}

interface CountedCall {
  told(allowances: readonly RateAllowance[], now: number): void;
  used(tokens: number): void;
}

/**
 * A header only predicts a refusal, and gateways send wrong ones. So nobody waits longer for it than this; a refusal itself says how
 * long to wait, and that is binding.
 */
const longestWaitMs = 60_000;
/** Headers come with the first line of an answer. */
const firstLineMs = 5_000;
const weightOfLastCall = 0.2;

interface Allowance {
  unit: RateAllowance['unit'];
  /** Before the calls that were sent since. */
  left: number;
  /** Calls that were sent until then. */
  sentBefore: number;
  endsAt: number;
}

function createRateAllowances(): RateAllowances {
  let sentCalls = 0;
  let usualTokens = 0;
  let allowances: Allowance[] = [];

  const perCall = ({ unit }: Allowance): number => (unit === 'requests' ? 1 : usualTokens);
  const isSpent = (each: Allowance): boolean =>
    each.left - perCall(each) * (sentCalls - each.sentBefore) < perCall(each);

  return {
    waitMs(now) {
      allowances = allowances.flatMap((each) => {
        if (each.endsAt > now) return [each];
        // One call finds out how much there is again; the others follow its first line.
        return isSpent(each)
          ? [{ ...each, left: perCall(each), sentBefore: sentCalls, endsAt: now + firstLineMs }]
          : [];
      });
      return Math.max(0, ...allowances.filter(isSpent).map(({ endsAt }) => endsAt - now));
    },
    sent() {
      sentCalls += 1;
      const sentBefore = sentCalls;
      return {
        told(told, now) {
          // The answer to a later call knows more.
          if (told.length === 0 || allowances.some((known) => known.sentBefore > sentBefore)) return;
          allowances = told.map(({ unit, remaining, resetMs }) => ({
            unit,
            left: remaining,
            sentBefore,
            endsAt: now + Math.min(longestWaitMs, resetMs),
          }));
        },
        used(tokens) {
          usualTokens = usualTokens === 0 ? tokens : usualTokens * (1 - weightOfLastCall) + tokens * weightOfLastCall;
        },
      };
    },
  };
}
