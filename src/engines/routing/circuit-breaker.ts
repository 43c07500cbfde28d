/**
 * Stops calling a server that is down. Opens after so many failures in a row, then lets one probe through per interval;
 * the first answer closes it. A server that answers anything at all, a 429 included, is not down. Failures come at once
 * and answers after many seconds, so "in a row" also asks that at least half of the calls sent meanwhile have failed:
 * otherwise ten per cent of random faults look like an outage before the first answer is in.
 */
export interface CircuitBreaker {
  readonly state: 'closed' | 'open' | 'probing';
  /** Milliseconds until a call may go out: 0 = now. A whole interval while a probe is on its way. */
  waitMs(now: number): number;
  /** A call goes out. Tells whether it is the probe. */
  sent(now: number): boolean;
  succeeded(): void;
  failed(now: number, wasProbe: boolean): void;
  /** Opens at once, with probes this far apart: for faults that only a person can mend. */
  trip(now: number, probeIntervalMs: number): void;
  /** The call ended without saying anything about the server: cancelled by the caller. */
  unknown(wasProbe: boolean): void;
}

export interface BreakerTuning {
  failuresToOpen: number;
  probeIntervalMs: number;
}

export function createCircuitBreaker(
  tuning: BreakerTuning,
  onChange: (state: CircuitBreaker['state']) => void,
): CircuitBreaker {
  let state: CircuitBreaker['state'] = 'closed';
  let failures = 0;
  let sentSinceFirstFailure = 0;
  let intervalMs = tuning.probeIntervalMs;
  let lastProbeAt = Number.NEGATIVE_INFINITY;

  const become = (next: CircuitBreaker['state']): void => {
    if (state === next) return;
    state = next;
    onChange(next);
  };

  return {
    get state() {
      return state;
    },
    waitMs(now) {
      if (state === 'closed') return 0;
      if (state === 'probing') return intervalMs;
      return Math.max(0, lastProbeAt + intervalMs - now);
    },
    sent(now) {
      if (state === 'closed') {
        sentSinceFirstFailure += 1;
        return false;
      }
      lastProbeAt = now;
      become('probing');
      return true;
    },
    succeeded() {
      failures = 0;
      intervalMs = tuning.probeIntervalMs;
      become('closed');
    },
    failed(now, wasProbe) {
      if (failures === 0) sentSinceFirstFailure = 1;
      failures += 1;
      if (wasProbe) become('open');
      else if (state === 'closed' && failures >= Math.max(tuning.failuresToOpen, sentSinceFirstFailure / 2)) {
        // The last failure counts as the first probe: the server has just been seen down.
        lastProbeAt = now;
        become('open');
      }
    },
    trip(now, probeIntervalMs) {
      intervalMs = probeIntervalMs;
      lastProbeAt = now;
      become('open');
    },
    unknown(wasProbe) {
      if (wasProbe) become('open');
    },
  };
}
