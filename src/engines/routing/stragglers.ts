/**
 * A call that takes far longer than this engine's calls of its size is asked again beside it. The first good answer counts,
 * the others are cancelled. Second asks are a small share of all calls. When the share is used up, a call that is hopelessly
 * late ends as a timeout, and the ordinary retries go on from there. One hanging call must not hold up a whole book.
 */
import { EngineError } from '../engine-error.ts';
import type { Clock } from './clock.ts';
import type { RoutingTuning } from './tuning.ts';

/** One of the calls that a request has out. */
export interface Ask {
  signal: AbortSignal;
  /** True when another call for the same request is out already. */
  again: boolean;
  /** To be called when it is sent. */
  sent(): void;
}

/** Ends with the first good answer, or with the last fault. `isGood` is asked of what `call` gives. */
type Race = <T>(
  size: CallSize,
  signal: AbortSignal,
  call: (ask: Ask) => Promise<T>,
  isGood: (outcome: T) => boolean,
) => Promise<T>;

/** Why a call was cancelled that another one has overtaken. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

const mostAtOnce = 3;

/** For an engine that is never asked twice at once. */
export const askOnce: Race = (_size, signal, call) => call({ signal, again: false, sent() {} });

/** @param isIdle nobody waits for a slot */
export function createStragglers(
  tuning: RoutingTuning['stragglers'],
  clock: Clock,
  durations: CallDurations,
  isIdle: () => boolean,
): Race {
  let available = tuning.initial;

  return (size, signal, call, isGood) =>
    new Promise((resolve, reject) => {
      /** When each call was sent that is out; undefined while it waits for its slot. */
      const out = new Map<AbortController, number | undefined>();
      let cancelAlarm: (() => void) | undefined;
      const end = (settle: () => void): void => {
        cancelAlarm?.();
        settle();
        for (const stop of out.keys()) stop.abort(new Overtaken());
      };
      const watch = (): void => {
        const usualMs = durations.usualMs(size);
        if (usualMs === undefined) {
          cancelAlarm = clock.schedule(tuning.hopelessMs / 5, watch);
          return;
        }
        const sentAt = [...out.values()];
        const allAreSent = sentAt.every((at) => at !== undefined);
        const elapsedMs = clock.now() - Math.max(...sentAt.map((at) => at ?? 0));
        const idle = isIdle();
        const isLate = elapsedMs >= usualMs * (idle ? tuning.lateRatioWhenIdle : tuning.lateRatio);
        const mayAsk = available >= (idle ? 1 : 1 + tuning.reserve) && out.size < mostAtOnce;
        const hopelessRatio = idle ? tuning.hopelessRatioWhenIdle : tuning.hopelessRatio;
        if (allAreSent && isLate && mayAsk) {
          available -= 1;
          ask(true);
        } else if (allAreSent && elapsedMs >= Math.max(usualMs * hopelessRatio, tuning.hopelessMs)) {
          const said = `no answer within ${Math.round(elapsedMs)} ms, where other calls have one`;
          for (const stop of out.keys()) stop.abort(new EngineError('timeout', said));
          return;
        }
        cancelAlarm = clock.schedule(Math.max(10, usualMs / 8), watch);
      };
      const ask = (again: boolean): void => {
        const stop = new AbortController();
        out.set(stop, undefined);
        const sent = (): void => {
          out.set(stop, clock.now());
          if (again) return;
          available = Math.min(tuning.burst, available + tuning.share);
          const usualMs = durations.usualMs(size) ?? tuning.hopelessMs / 5;
          cancelAlarm = clock.schedule(usualMs * tuning.lateRatioWhenIdle, watch);
        };
        call({ signal: AbortSignal.any([signal, stop.signal]), again, sent }).then(
          (outcome) => {
            out.delete(stop);
            if (isGood(outcome) || out.size === 0) end(() => resolve(outcome));
          },
          (error: unknown) => {
            out.delete(stop);
            if (out.size === 0 || signal.aborted) end(() => reject(error));
          },
        );
      };
      ask(false);
    });
}

type CallDurations = ReturnType<typeof createCallDurations>;

export interface CallSize {
  /** Calls that are alike: what is asked, and between which languages. */
  lane: string;
  /** Of the text that is sent to be worked on. */
  characters: number;
}

const firstTokenCharacters = 150;
const fewest = 12;
const remembered = 100;
const maxLanes = 64;

/**
 * How long an engine's calls usually take, by their size: from its own last answers. Durations are compared per character, so
 * that long and short calls tell about each other. The time to the first token counts as some characters more.
 */
export function createCallDurations() {
  /** Milliseconds per character, newest last. */
  const lanes = new Map<string, number[]>();
  return {
    observed({ lane, characters }: CallSize, durationMs: number) {
      const rates = lanes.get(lane) ?? [];
      rates.push(durationMs / (characters + firstTokenCharacters));
      if (rates.length > remembered) rates.shift();
      // The lane that was used last is forgotten last.
      lanes.delete(lane);
      lanes.set(lane, rates);
      const [oldest] = lanes.keys();
      if (lanes.size > maxLanes && oldest !== undefined) lanes.delete(oldest);
    },
    /** Nine of ten calls of this size end sooner; undefined while too few have ended. */
    usualMs({ lane, characters }: CallSize) {
      const rates = lanes.get(lane) ?? [];
      if (rates.length < fewest) return undefined;
      const slow = rates.toSorted((a, b) => a - b)[Math.floor(rates.length * 0.9)] ?? 0;
      return slow * (characters + firstTokenCharacters);
    },
  };
}
