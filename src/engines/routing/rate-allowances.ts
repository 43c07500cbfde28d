/**
 * What may still be sent within the limits of a provider, from what it says with each answer. A header tells what was left when its call
 * arrived, so the calls that went out after that one are taken off.
 */
import type { RateAllowance } from '../engine.ts';

export interface RateAllowances {
  /** Milliseconds until a call may go out: 0 = now. */
  waitMs(now: number): number;
  sent(): CountedCall;
}

export interface CountedCall {
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

export function createRateAllowances(): RateAllowances {
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
