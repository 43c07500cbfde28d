/**
 * Whether an engine may be called now. Three things forbid it: the breaker of a server that is down, a wait that the server asked for,
 * and an exhausted allowance. The server's answers tell of the last (`x-ratelimit-remaining-…`), so that the refusal never comes.
 */
import type { RateAllowance } from '../engine.ts';
import type { EngineError } from '../engine-error.ts';
import type { Clock } from './clock.ts';
import { retryDelayMs } from './retry-budget.ts';
import type { RoutingTuning } from './tuning.ts';

export function createEngineHealth(
  tuning: Pick<RoutingTuning, 'breaker' | 'delay' | 'spendLimitPauseMs'>,
  clock: Clock,
  random: () => number,
  onBreaker: (state: BreakerState) => void,
) {
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
   * Each request backs off by itself, but hundreds may be queued. A server that refuses one after the other without a
   * Retry-After gets longer and longer breaks from all of them. A burst counts once.
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
    /** 0 = now. */
    unavailableForMs: () => Math.max(pausedForMs(), breaker.waitMs(clock.now())),
    /** Since the breaker opened; 0 while it is closed. */
    downForMs: () => (downSince === undefined ? 0 : clock.now() - downSince),
    /** Exactly one of the last three is called at the end of the call. */
    sent() {
      const startedAt = clock.now();
      const probe = breaker.sent(startedAt);
      const counted = allowances.sent();
      return {
        isProbe: probe.isProbe,
        /** What the server says is left, as soon as it does. */
        told: (left: readonly RateAllowance[]) => counted.told(left, clock.now()),
        answered(tokens: number) {
          refusalsInRow = 0;
          counted.used(tokens);
          probe.answered();
        },
        failed(error: EngineError) {
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
 * A header only predicts a refusal, and gateways send wrong ones. So nobody waits longer for it than this; a refusal itself says how
 * long to wait, and that is binding.
 */
const longestWaitMs = 60_000;
/** Headers come with the first line of an answer. */
const firstLineMs = 5_000;
const weightOfLastCall = 0.2;

/**
 * What may still be sent within the limits of a provider, from what it says with each answer. A header tells what was left when its call
 * arrived, so the calls that went out after that one are taken off.
 */
function createRateAllowances() {
  let sentCalls = 0;
  let usualTokens = 0;
  /** What was left before the calls that were sent since, and how many were sent until then. */
  let allowances: { unit: RateAllowance['unit']; left: number; sentBefore: number; endsAt: number }[] = [];
  type Allowance = (typeof allowances)[number];

  const perCall = ({ unit }: Allowance): number => (unit === 'requests' ? 1 : usualTokens);
  const isSpent = (each: Allowance): boolean =>
    each.left - perCall(each) * (sentCalls - each.sentBefore) < perCall(each);

  return {
    /** Milliseconds until a call may go out: 0 = now. */
    waitMs(now: number) {
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
        told(told: readonly RateAllowance[], now: number) {
          // The answer to a later call knows more.
          if (told.length === 0 || allowances.some((known) => known.sentBefore > sentBefore)) return;
          allowances = told.map(({ unit, remaining, resetMs }) => ({
            unit,
            left: remaining,
            sentBefore,
            endsAt: now + Math.min(longestWaitMs, resetMs),
          }));
        },
        used(tokens: number) {
          usualTokens = usualTokens === 0 ? tokens : usualTokens * (1 - weightOfLastCall) + tokens * weightOfLastCall;
        },
      };
    },
  };
}

export type BreakerState = 'closed' | 'open' | 'probing';

/**
 * Stops calling a server that is down. Opens when 10 of the last 16 calls sent have failed, then lets one probe through
 * per interval; an answer closes it. A server that answers anything, even a 429, is not down.
 *
 * Failures come at once and answers after many seconds, so calls are judged in the order they were sent. A call that has lasted
 * longer than the failures counts as not failed: 25 % random failures are no outage, even before the first answer. The late
 * answer of an old call says nothing about a server that refuses new ones. For the same reason, a probe that lasts much longer
 * than every failure counts as accepted. Waiting for its answer would waste 20 s of a working server.
 */
function createCircuitBreaker(tuning: RoutingTuning['breaker'], onChange: (state: BreakerState) => void) {
  let state: BreakerState = 'closed';
  /** In the order they were sent. */
  let recent: { sentAt: number; outcome: 'none' | 'failed' | 'answered' }[] = [];
  let openedAt = Number.NEGATIVE_INFINITY;
  let lastProbeAt = Number.NEGATIVE_INFINITY;
  let intervalMs = tuning.probeIntervalMs;
  let longestFailureMs = 0;
  /** Closed because a probe seemed accepted: a single failure opens again. */
  let onTrust = false;

  const become = (next: BreakerState): void => {
    if (state === next) return;
    if (state === 'closed') recent = [];
    state = next;
    onChange(next);
  };
  const open = (now: number): void => {
    if (state === 'closed') openedAt = now;
    // The failure that opens the breaker counts as the first probe: the server has just failed.
    lastProbeAt = Math.max(lastProbeAt, now);
    become('open');
  };
  /** Failures among the last calls about which something is known. */
  const recentFailures = (now: number): number =>
    recent
      .filter(({ outcome, sentAt }) => outcome !== 'none' || now - sentAt > 2 * longestFailureMs)
      .slice(-tuning.window)
      .filter(({ outcome }) => outcome === 'failed').length;
  const acceptedAt = (): number => lastProbeAt + Math.max(tuning.acceptedAfterMs, 4 * longestFailureMs);

  return {
    get state() {
      return state;
    },
    /** Milliseconds until a call may go out: 0 = now. */
    waitMs(now: number) {
      if (state === 'closed') return 0;
      return Math.max(0, (state === 'probing' ? acceptedAt() : lastProbeAt + intervalMs) - now);
    },
    /** Exactly one of these is called at the end of the call. */
    sent(now: number) {
      const entry: (typeof recent)[number] = { sentAt: now, outcome: 'none' };
      const isProbe = state === 'open';
      if (isProbe) {
        lastProbeAt = now;
        become('probing');
      } else if (state === 'probing') {
        onTrust = true;
        become('closed');
      }
      recent.push(entry);
      if (recent.length > 20 * tuning.window) recent.shift();
      return {
        isProbe,
        answered() {
          entry.outcome = 'answered';
          if (now < openedAt) return;
          onTrust = false;
          longestFailureMs = 0;
          intervalMs = tuning.probeIntervalMs;
          become('closed');
        },
        failed(at: number) {
          entry.outcome = 'failed';
          longestFailureMs = Math.max(longestFailureMs, at - now);
          if (isProbe && state === 'probing') become('open');
          else if (state === 'closed' && (onTrust || recentFailures(at) >= tuning.failuresToOpen)) open(at);
        },
        /** Opens at once, with probes this far apart: for errors that only a person can fix. */
        tripped(at: number, probeIntervalMs: number) {
          longestFailureMs = Math.max(longestFailureMs, at - now);
          intervalMs = probeIntervalMs;
          open(at);
        },
        /** Ended without information about the server: cancelled by the caller. */
        cancelled() {
          if (isProbe && state === 'probing') become('open');
        },
      };
    },
  };
}
