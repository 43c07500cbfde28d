import { withSpan } from '../../platform/tracing.ts';
import { costOf } from '../call-cost.ts';
import { type CallNotes, type Engine, EngineError, type EngineFaultKind, type EngineUsage } from '../engine.ts';
import { type CallSize, createCallDurations } from './call-durations.ts';
import { type BreakerState, createCircuitBreaker } from './circuit-breaker.ts';
import { type Clock, sleep } from './clock.ts';
import { createConcurrencyLimiter } from './concurrency-limiter.ts';
import { createFairQueue, type Owner } from './fair-queue.ts';
import { createRetryBudget } from './retry-budget.ts';
import { retryDelayMs } from './retry-delay.ts';
import { type Ask, createStragglers, Overtaken, withoutSecondAsks } from './stragglers.ts';
import type { RoutingTuning } from './tuning.ts';

/** Everything between our requests and one engine: the waiting queue, the limit, the breaker, the retries. */
export interface EngineGate {
  readonly engine: Engine;
  /** Milliseconds until a call can be sent: 0 = the engine is up, though calls may be queued. */
  unavailableForMs(): number;
  /**
   * Runs one request to its end on this engine. If the engine goes down, a `movable` request is returned.
   * @throws EngineError; GateUnavailable for movable requests; the signal's reason
   */
  run<T extends { usage: EngineUsage }>(
    call: EngineCall<T>,
    size: CallSize,
    owner: Owner,
    signal: AbortSignal,
    movable: () => boolean,
  ): Promise<T>;
  status(): GateStatus;
}

export type EngineCall<T> = (engine: Engine, signal: AbortSignal, notes: CallNotes) => Promise<T>;

export interface GateStatus {
  name: string;
  state: BreakerState;
  pausedForMs: number;
  limit: number;
  inFlight: number;
  waiting: number;
  calls: number;
  repeatedCalls: number;
  /** Asked beside a call that took too long. */
  secondCalls: number;
  faults: Partial<Record<EngineFaultKind, number>>;
}

export interface EndedCall {
  engine: string;
  /** Whose call it was. */
  owner: Owner;
  /** `overtaken`: a second call for the same request was faster. `cancelled`: the task was. */
  outcome: 'ok' | 'overtaken' | 'cancelled' | EngineFaultKind;
  durationMs: number;
  /** Absent for a call that was never billed. */
  usage?: EngineUsage | undefined;
  /** Of `usage`, in millionths of a millionth; absent where the engine has no prices. */
  cost?: bigint | undefined;
  /** In words, when it failed. */
  fault?: string;
}

export interface GateHooks {
  onCall?(call: EndedCall): void;
  onBreaker?(event: { engine: string; state: BreakerState }): void;
}

/** Thrown to a request that another engine can take. Never leaves the catalog. */
export class GateUnavailable extends Error {
  override readonly name = 'GateUnavailable';
}

type CallOutcome<T> = { result: T } | { fault: EngineError; wasProbe: boolean };

interface Waiting {
  owner: Owner;
  movable: () => boolean;
  go(): void;
  giveUp(reason: unknown): void;
}

export function createEngineGate(
  engine: Engine,
  tuning: RoutingTuning,
  clock: Clock,
  random: () => number,
  hooks: GateHooks,
): EngineGate {
  const { name } = engine;
  const limiter = createConcurrencyLimiter({ ...tuning.limiter, ceiling: engine.capabilities.maxConcurrency });
  const budget = createRetryBudget(tuning.budget, clock.now());
  const queue = createFairQueue<Waiting>();
  const waiting = new Set<Waiting>();
  const durations = createCallDurations();
  const stragglers = engine.capabilities.local
    ? withoutSecondAsks
    : createStragglers(tuning.stragglers, clock, durations, () => queue.size === 0);
  const faults: Partial<Record<EngineFaultKind, number>> = {};
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let downSince: number | undefined;
  let refusedAt = Number.NEGATIVE_INFINITY;
  let refusalsInRow = 0;
  let quickestMs = Number.POSITIVE_INFINITY;
  let calls = 0;
  let repeatedCalls = 0;
  let secondCalls = 0;
  let wakeAt = Number.POSITIVE_INFINITY;
  let cancelWake = (): void => {};

  const breaker = createCircuitBreaker(tuning.breaker, (state) => {
    hooks.onBreaker?.({ engine: name, state });
    if (state === 'closed') downSince = undefined;
    else downSince ??= clock.now();
  });

  const unavailableForMs = (): number => {
    const now = clock.now();
    return Math.max(0, pausedUntil - now, breaker.waitMs(now));
  };

  /** A server refuses sooner than it answers, so behind a quick answer nobody waits long for a refusal. */
  const rampIntervalMs = (): number => {
    const longest = tuning.limiter.rampIntervalMs;
    return Math.max(longest / 4, Math.min(longest, quickestMs));
  };

  const wakeIn = (delayMs: number): void => {
    const at = clock.now() + delayMs;
    if (at >= wakeAt) return;
    cancelWake();
    wakeAt = at;
    cancelWake = clock.schedule(delayMs, () => {
      wakeAt = Number.POSITIVE_INFINITY;
      limiter.tick();
      dispatch();
    });
  };

  const forgetWake = (): void => {
    cancelWake();
    wakeAt = Number.POSITIVE_INFINITY;
  };

  /** Sends every call that may be sent, and otherwise schedules the next check. */
  const dispatch = (): void => {
    while (queue.size > 0) {
      const blockedMs = unavailableForMs();
      if (blockedMs > 0) {
        const patienceLeftMs = handBack(blockedMs);
        if (queue.size > 0) wakeIn(Math.min(blockedMs, patienceLeftMs));
        return;
      }
      if (!limiter.hasRoom()) {
        // Without a ramp only the end of a call makes room, and that triggers a dispatch.
        if (limiter.ramping) wakeIn(rampIntervalMs());
        return;
      }
      // Of an engine that nobody knows, some answers are read before more calls go the same wrong way.
      if (engine.learned?.isProven === false && limiter.inFlight >= tuning.unprovenCalls) return;
      queue.shift()?.go();
    }
  };

  /** Returns requests that cannot be sent: to the catalog if it has a better engine, to the caller after a long wait. */
  const handBack = (blockedMs: number): number => {
    const now = clock.now();
    const elsewhere = new GateUnavailable(name);
    if (blockedMs > tuning.failoverAfterMs) {
      for (const entry of [...waiting]) if (entry.movable()) entry.giveUp(elsewhere);
    }
    const patienceLeftMs = (downSince ?? now) + tuning.patienceMs - now;
    if (patienceLeftMs <= 0 || blockedMs > tuning.patienceMs) {
      const retryAfterMs = Math.max(blockedMs, tuning.breaker.probeIntervalMs);
      const down = new EngineError('overloaded', 'the engine has been down for long', { retryAfterMs });
      for (const entry of [...waiting]) entry.giveUp(down);
    }
    return Math.max(1, patienceLeftMs);
  };

  /** Resolves when a slot is free, inside the dispatch that freed it: the caller must start at once. */
  const turn = (
    owner: Owner,
    signal: AbortSignal,
    movable: () => boolean,
    urgent: boolean,
    start: () => void,
  ): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const settle = (): void => signal.removeEventListener('abort', abort);
      const entry: Waiting = {
        owner,
        movable,
        go() {
          settle();
          waiting.delete(entry);
          start();
          resolve();
        },
        giveUp(reason) {
          settle();
          waiting.delete(entry);
          queue.remove(entry, owner);
          // Without waiting calls, a timer would keep a stopping process alive until the engine is due again.
          if (waiting.size === 0) forgetWake();
          reject(reason);
        },
      };
      const abort = (): void => entry.giveUp(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      waiting.add(entry);
      queue.push(entry, owner, urgent);
      dispatch();
    });

  const pause = (durationMs: number): void => {
    pausedUntil = Math.max(pausedUntil, clock.now() + durationMs);
  };

  /**
   * Each request backs off by itself, but hundreds may be queued: a server that refuses one after the other
   * without a Retry-After gets longer and longer breaks from all of them. A burst counts once.
   */
  const refused = (startedAt: number, now: number): void => {
    if (startedAt < refusedAt) return;
    refusedAt = now;
    refusalsInRow += 1;
    if (refusalsInRow > 1) pause(retryDelayMs(tuning.delay, refusalsInRow - 1, random));
  };

  const ended = (call: Omit<EndedCall, 'engine' | 'cost'>): void => {
    const { usage } = call;
    const { prices } = engine;
    hooks.onCall?.({ ...call, engine: name, cost: usage && prices && costOf(usage, prices) });
  };

  /** One call, from its turn to its end. */
  const callOnce = async <T extends { usage: EngineUsage }>(
    call: EngineCall<T>,
    size: CallSize,
    owner: Owner,
    { signal, again, sent }: Ask,
    movable: () => boolean,
    repeated: boolean,
  ): Promise<CallOutcome<T>> => {
    const urgent = repeated || again;
    let slot = undefined as ReturnType<typeof limiter.started> | undefined;
    let probe = undefined as ReturnType<typeof breaker.sent> | undefined;
    let startedAt = 0;
    const notes: CallNotes = { owner };
    await turn(owner, signal, movable, urgent, () => {
      startedAt = clock.now();
      probe = breaker.sent(startedAt);
      slot = limiter.started(startedAt);
      calls += 1;
      // Earned when sent, not when queued: a whole novel is queued at once.
      if (again) secondCalls += 1;
      else if (repeated) repeatedCalls += 1;
      else budget.earn();
      sent();
    });
    try {
      const result = await withSpan('call engine', { engine: name, repeated: urgent }, async (span) => {
        const answer = await call(engine, signal, notes);
        const { inputTokens, outputTokens } = answer.usage;
        span.set({ input_tokens: inputTokens, output_tokens: outputTokens });
        return answer;
      });
      refusalsInRow = 0;
      slot?.succeeded(clock.now(), result.usage.outputTokens);
      probe?.answered();
      const durationMs = clock.now() - startedAt;
      quickestMs = Math.min(quickestMs, durationMs);
      durations.observed(size, durationMs);
      ended({ owner, outcome: 'ok', durationMs, usage: result.usage });
      return { result };
    } catch (error) {
      const now = clock.now();
      const durationMs = now - startedAt;
      if (!(error instanceof EngineError)) {
        slot?.ended();
        probe?.cancelled();
        const outcome = error instanceof Overtaken ? 'overtaken' : 'cancelled';
        ended({ owner, outcome, durationMs, usage: notes.spent });
        throw error;
      }
      // An engine that has become slow for everybody must count as slow, though no call is waited for long enough.
      if (error.kind === 'timeout') durations.observed(size, durationMs);
      if (error.kind === 'rate-limited') {
        slot?.throttled(now);
        refused(startedAt, now);
      } else slot?.ended();
      faults[error.kind] = (faults[error.kind] ?? 0) + 1;
      ended({ owner, outcome: error.kind, durationMs, usage: error.usage ?? notes.spent, fault: error.message });
      if (error.kind === 'spend-limit') probe?.tripped(now, tuning.spendLimitPauseMs);
      else if (looksDown(error)) probe?.failed(now);
      else probe?.answered();
      if (error.retryAfterMs !== undefined) pause(error.retryAfterMs);
      return { fault: error, wasProbe: probe?.isProbe ?? false };
    } finally {
      dispatch();
    }
  };

  return {
    engine,
    unavailableForMs,
    async run(call, size, owner, signal, movable) {
      let failures = 0;
      let refusals = 0;
      for (;;) {
        const repeated = failures + refusals > 0;
        const send = (ask: Ask) => callOnce(call, size, owner, ask, ask.again ? () => false : movable, repeated);
        const outcome = await stragglers.race(size, signal, send, (ended) => 'result' in ended);
        if ('result' in outcome) return outcome.result;
        const { fault, wasProbe } = outcome;
        // The caller judges the answer; repeating the same call would return the same.
        if (!fault.retryable || fault.kind === 'malformed') throw fault;
        if (fault.kind === 'rate-limited') refusals += 1;
        else if (!wasProbe) failures += 1;
        if (failures >= tuning.attempts || refusals >= tuning.refusals) throw fault;
        if (fault.retryAfterMs === undefined) {
          await sleep(
            clock,
            retryDelayMs(tuning.delay, Math.max(1, failures || Math.min(refusals, 3)), random),
            signal,
          );
        }
        for (let waitMs = budget.spend(clock.now()); waitMs > 0; waitMs = budget.spend(clock.now())) {
          await sleep(clock, waitMs, signal);
        }
      }
    },
    status: () => ({
      name,
      state: breaker.state,
      pausedForMs: Math.max(0, pausedUntil - clock.now()),
      limit: limiter.limit,
      inFlight: limiter.inFlight,
      waiting: queue.size,
      calls,
      repeatedCalls,
      secondCalls,
      faults: { ...faults },
    }),
  };
}

/** A refused key or an unknown model fails every call alike, so it opens the breaker as an outage does. */
function looksDown(error: EngineError): boolean {
  if (error.kind === 'rejected') return error.status === 401 || error.status === 403 || error.status === 404;
  return error.kind === 'overloaded' || error.kind === 'transport' || error.kind === 'timeout';
}
