/**
 * Stops calling a server that is down. Opens after so many failures in a row, then lets one probe through per interval;
 * the first answer closes it. A server that answers anything at all, a 429 included, is not down.
 *
 * Failures come at once and answers after many seconds, which matters twice. "In a row" also asks that most of the calls
 * sent meanwhile have failed: otherwise a quarter of random faults looks like an outage before the first answer is in.
 * And a probe that outlives every failure seen by far is taken for accepted: waiting for its answer would cost another
 * 20 s of a server that works again.
 */
export interface CircuitBreaker {
  readonly state: BreakerState;
  /** Milliseconds until a call may go out: 0 = now. */
  waitMs(now: number): number;
  /** A call goes out. Tells whether it is the probe. */
  sent(now: number): boolean;
  succeeded(): void;
  failed(now: number, durationMs: number, wasProbe: boolean): void;
  /** Opens at once, with probes this far apart: for faults that only a person can mend. */
  trip(now: number, durationMs: number, probeIntervalMs: number): void;
  /** The call ended without saying anything about the server: cancelled by the caller. */
  unknown(wasProbe: boolean): void;
}

export type BreakerState = 'closed' | 'open' | 'probing';

export interface BreakerTuning {
  failuresToOpen: number;
  probeIntervalMs: number;
  /** A probe is taken for accepted after this long, or four times the longest failure. */
  acceptedAfterMs: number;
}

const failedShare = 0.6;
/** Calls on their way at the first failure that count as sent with it; more would keep a real outage from opening. */
const countedBefore = 6;

export function createCircuitBreaker(tuning: BreakerTuning, onChange: (state: BreakerState) => void): CircuitBreaker {
  let state: BreakerState = 'closed';
  let failures = 0;
  let outstanding = 0;
  let sentInRow = 0;
  let longestFailureMs = 0;
  let intervalMs = tuning.probeIntervalMs;
  let lastProbeAt = Number.NEGATIVE_INFINITY;

  const become = (next: BreakerState): void => {
    if (state === next) return;
    state = next;
    onChange(next);
  };
  const ended = (): void => {
    outstanding = Math.max(0, outstanding - 1);
  };
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
      outstanding += 1;
      sentInRow += 1;
      if (state === 'closed') return false;
      if (state === 'probing') {
        // On trust: one more failure opens it again.
        failures = tuning.failuresToOpen;
        sentInRow = 0;
        become('closed');
        return false;
      }
      lastProbeAt = now;
      become('probing');
      return true;
    },
    succeeded() {
      ended();
      failures = 0;
      longestFailureMs = 0;
      intervalMs = tuning.probeIntervalMs;
      become('closed');
    },
    failed(now, durationMs, wasProbe) {
      ended();
      if (failures === 0) sentInRow = 1 + Math.min(outstanding, countedBefore);
      failures += 1;
      longestFailureMs = Math.max(longestFailureMs, durationMs);
      const enough = failures >= Math.max(tuning.failuresToOpen, failedShare * sentInRow);
      if (wasProbe) become('open');
      else if (state === 'closed' && enough) {
        // The last failure counts as the first probe: the server has just been seen down.
        lastProbeAt = now;
        become('open');
      }
    },
    trip(now, durationMs, probeIntervalMs) {
      ended();
      longestFailureMs = Math.max(longestFailureMs, durationMs);
      intervalMs = probeIntervalMs;
      lastProbeAt = now;
      become('open');
    },
    unknown(wasProbe) {
      ended();
      if (wasProbe && state === 'probing') become('open');
    },
  };
}
