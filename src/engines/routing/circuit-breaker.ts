/**
 * Stops calling a server that is down. Opens when 10 of the last 16 calls sent have failed, then lets one probe through
 * per interval; an answer closes it. A server that answers anything, even a 429, is not down.
 *
 * Failures come at once and answers after many seconds, so calls are judged in the order they were sent. A call that has lasted
 * longer than the failures counts as not failed: 25 % random failures are no outage, even before the first answer. The late
 * answer of an old call says nothing about a server that refuses new ones. For the same reason, a probe that lasts much longer
 * than every failure counts as accepted: waiting for its answer would waste 20 s of a working server.
 */
export interface CircuitBreaker {
  readonly state: BreakerState;
  /** Milliseconds until a call may go out: 0 = now. */
  waitMs(now: number): number;
  sent(now: number): BreakerCall;
}

/** One call on its way; exactly one of these is called at its end. */
export interface BreakerCall {
  readonly isProbe: boolean;
  answered(): void;
  failed(now: number): void;
  /** Opens at once, with probes this far apart: for errors that only a person can fix. */
  tripped(now: number, probeIntervalMs: number): void;
  /** Ended without information about the server: cancelled by the caller. */
  cancelled(): void;
}

export type BreakerState = 'closed' | 'open' | 'probing';

export interface BreakerTuning {
  failuresToOpen: number;
  /** Number of last calls that count. */
  window: number;
  probeIntervalMs: number;
  /** A probe counts as accepted after this long, or after four times the longest failure. */
  acceptedAfterMs: number;
}

export function createCircuitBreaker(tuning: BreakerTuning, onChange: (state: BreakerState) => void): CircuitBreaker {
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
    waitMs(now) {
      if (state === 'closed') return 0;
      return Math.max(0, (state === 'probing' ? acceptedAt() : lastProbeAt + intervalMs) - now);
    },
    sent(now) {
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
        failed(at) {
          entry.outcome = 'failed';
          longestFailureMs = Math.max(longestFailureMs, at - now);
          if (isProbe && state === 'probing') become('open');
          else if (state === 'closed' && (onTrust || recentFailures(at) >= tuning.failuresToOpen)) open(at);
        },
        tripped(at, probeIntervalMs) {
          longestFailureMs = Math.max(longestFailureMs, at - now);
          intervalMs = probeIntervalMs;
          open(at);
        },
        cancelled() {
          if (isProbe && state === 'probing') become('open');
        },
      };
    },
  };
}
