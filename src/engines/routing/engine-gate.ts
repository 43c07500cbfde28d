import { withSpan } from '../../platform/tracing.ts';
import { costOf } from '../call-cost.ts';
import type { CallNotes, CallOwner, Engine, EngineUsage } from '../engine.ts';
import { EngineError, type EngineFaultKind } from '../engine-error.ts';
import { type Clock, sleep } from './clock.ts';
import { createConcurrencyLimiter } from './concurrency-limiter.ts';
import { createEngineBudget } from './engine-budget.ts';
import { type BreakerState, createEngineHealth } from './engine-health.ts';
import { createRetryBudget, retryDelayMs } from './retry-budget.ts';
import { type Ask, askOnce, type CallSize, createCallDurations, createStragglers, Overtaken } from './stragglers.ts';
import type { RoutingTuning } from './tuning.ts';
import { createWaitingLine, type PlaceInLine } from './waiting-line.ts';

export type EngineGate = ReturnType<typeof createEngineGate>;

export type EngineCall<T> = (engine: Engine, signal: AbortSignal, notes: CallNotes) => Promise<T>;

export type GateStatus = ReturnType<EngineGate['status']>;

export interface EndedCall {
  engine: string;
  /** Whose call it was. */
  owner: CallOwner;
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

type CallOutcome<T> = { result: T } | { fault: EngineError; wasProbe: boolean };

/**
 * Everything between our requests and one engine: the waiting line, the limit, the breaker, the retries.
 * @param onRoom told whenever this engine may have room again, after its own calls had their turn
 */
export function createEngineGate(
  engine: Engine,
  tuning: RoutingTuning,
  clock: Clock,
  random: () => number,
  hooks: GateHooks,
  onRoom: () => void,
) {
  const { name } = engine;
  const limiter = createConcurrencyLimiter(tuning.limiter, engine.capabilities.maxConcurrency);
  const budget = createRetryBudget(tuning.budget, clock.now());
  const durations = createCallDurations();
  // Days are those of the calendar, which the clock of the process does not know.
  const spending = createEngineBudget(engine, Date.now, () => {
    line.dispatch();
    onRoom();
  });
  const health = createEngineHealth(tuning, clock, random, (state) => hooks.onBreaker?.({ engine: name, state }));
  const faults: Partial<Record<EngineFaultKind, number>> = {};
  let calls = 0;
  let secondCalls = 0;

  /** Of an engine that nobody knows, some answers are read before more calls go the same wrong way. */
  const mostAtOnce = (): number =>
    engine.learned?.isProven === false ? Math.min(tuning.unprovenCalls, limiter.limit) : limiter.limit;

  const unavailableForMs = (): number => Math.max(health.unavailableForMs(), spending?.unavailableForMs() ?? 0);

  const line = createWaitingLine({
    engine: name,
    tuning,
    clock,
    unavailableForMs,
    downForMs: health.downForMs,
    hasRoom: () => limiter.inFlight < mostAtOnce() && spending?.hasRoom() !== false,
    fault: (retryAfterMs) =>
      spending?.isUsedUp
        ? new EngineError('spend-limit', 'the budget of the day is used up')
        : new EngineError('overloaded', 'the engine has been down for long', { retryAfterMs }),
    onRoom,
  });
  const race = engine.capabilities.local
    ? askOnce
    : createStragglers(tuning.stragglers, clock, durations, () => line.size === 0);

  type SentCall = ReturnType<typeof send>;
  const ended = (sent: SentCall, call: Omit<EndedCall, 'engine' | 'cost' | 'owner' | 'durationMs'>): void => {
    const { usage } = call;
    const { prices } = engine;
    const cost = usage && prices && costOf(usage, prices);
    sent.spend?.(cost);
    hooks.onCall?.({ ...call, owner: sent.owner, durationMs: clock.now() - sent.at, engine: name, cost });
  };

  const succeeded = (sent: SentCall, usage: EngineUsage): void => {
    const durationMs = clock.now() - sent.at;
    sent.slot.succeeded(clock.now(), usage.outputTokens);
    sent.health.answered(usage.inputTokens + usage.outputTokens);
    durations.observed(sent.size, durationMs);
    ended(sent, { outcome: 'ok', usage });
  };

  const failed = (sent: SentCall, error: EngineError): void => {
    const durationMs = clock.now() - sent.at;
    // An engine that has become slow for everybody must count as slow, though no call is waited for long enough.
    if (error.kind === 'timeout') durations.observed(sent.size, durationMs);
    if (error.kind === 'rate-limited') sent.slot.throttled(clock.now());
    else sent.slot.ended();
    sent.health.failed(error);
    faults[error.kind] = (faults[error.kind] ?? 0) + 1;
    const usage = error.usage ?? sent.notes.spent;
    ended(sent, { outcome: error.kind, usage, fault: error.message });
  };

  const abandoned = (sent: SentCall, reason: unknown): void => {
    sent.slot.ended();
    sent.health.cancelled();
    const outcome = reason instanceof Overtaken ? 'overtaken' : 'cancelled';
    ended(sent, { outcome, usage: sent.notes.spent });
  };

  /** Takes a slot, inside the dispatch that found it free. */
  const send = (size: CallSize, owner: CallOwner, again: boolean, repeated: boolean) => {
    const at = clock.now();
    const ofHealth = health.sent();
    const slot = limiter.started(at);
    const onWords = (): void => {
      if (slot.begun()) line.dispatch();
    };
    const notes: CallNotes = { owner, onAllowances: ofHealth.told, onWords };
    calls += 1;
    // Earned when sent, not when queued: a whole novel is queued at once.
    if (again) secondCalls += 1;
    else if (!repeated) budget.earn();
    /** Told at the end what it cost. */
    const spend = spending?.sent(size);
    return { at, size, owner, notes, slot, health: ofHealth, spend };
  };

  /** One call, from its turn to its end. */
  const callOnce = async <T extends { usage: EngineUsage }>(
    call: EngineCall<T>,
    size: CallSize,
    owner: CallOwner,
    ask: Ask,
    place: PlaceInLine,
    repeated: boolean,
  ): Promise<CallOutcome<T>> => {
    const urgent = repeated || ask.again;
    const sent = await line.join({ owner, signal: ask.signal, place: ask.again ? staysHere : place, urgent }, () => {
      ask.sent();
      return send(size, owner, ask.again, repeated);
    });
    try {
      const result = await withSpan('call engine', { engine: name, repeated: urgent }, async (span) => {
        const answer = await call(engine, ask.signal, sent.notes);
        const { inputTokens, outputTokens } = answer.usage;
        span.set({ input_tokens: inputTokens, output_tokens: outputTokens });
        return answer;
      });
      succeeded(sent, result.usage);
      return { result };
    } catch (error) {
      if (!(error instanceof EngineError)) {
        abandoned(sent, error);
        throw error;
      }
      failed(sent, error);
      return { fault: error, wasProbe: sent.health.isProbe };
    } finally {
      line.dispatch();
      onRoom();
    }
  };

  /** Random and growing, and never more than the budget for repetitions allows. */
  const waitBeforeRepeating = async (fault: EngineError, attempt: number, signal: AbortSignal): Promise<void> => {
    // With a Retry-After the whole gate is paused, and the line waits.
    if (fault.retryAfterMs === undefined) await sleep(clock, retryDelayMs(tuning.delay, attempt, random), signal);
    for (let waitMs = budget.spend(clock.now()); waitMs > 0; waitMs = budget.spend(clock.now())) {
      await sleep(clock, waitMs, signal);
    }
  };

  return {
    engine,
    /** Absent where nobody limits what it may spend. */
    spending,
    /** Milliseconds until a call can be sent: 0 = the engine is up, though calls may be queued. */
    unavailableForMs,
    /** Calls that could be sent at once; below 0 when calls wait. */
    room: () => mostAtOnce() - limiter.inFlight - line.size,
    handOver: line.handOver,
    /**
     * Runs one request to its end on this engine. If the engine goes down, a movable request is returned.
     * @throws EngineError; GateUnavailable for requests that go elsewhere; the signal's reason
     */
    async run<T extends { usage: EngineUsage }>(
      call: EngineCall<T>,
      size: CallSize,
      owner: CallOwner,
      signal: AbortSignal,
      place: PlaceInLine,
    ): Promise<T> {
      let failures = 0;
      let refusals = 0;
      for (;;) {
        const repeated = failures + refusals > 0;
        const outcome = await race(
          size,
          signal,
          (ask) => callOnce(call, size, owner, ask, place, repeated),
          (each) => 'result' in each,
        );
        if ('result' in outcome) return outcome.result;
        const { fault, wasProbe } = outcome;
        // The caller judges the answer; repeating the same call would return the same.
        if (!fault.retryable || fault.kind === 'malformed') throw fault;
        if (fault.kind === 'rate-limited') refusals += 1;
        else if (!wasProbe) failures += 1;
        if (failures >= tuning.attempts || refusals >= tuning.refusals) throw fault;
        await waitBeforeRepeating(fault, Math.max(1, failures || Math.min(refusals, 3)), signal);
      }
    },
    status: () => ({
      name,
      state: health.state,
      pausedForMs: health.pausedForMs(),
      limit: limiter.limit,
      inFlight: limiter.inFlight,
      waiting: line.size,
      calls,
      /** Asked beside a call that took too long. */
      secondCalls,
      faults: { ...faults },
      /** What it may spend today is used up. */
      isOverBudget: spending?.isUsedUp === true,
    }),
  };
}

/** A second ask belongs to the first one, on the same engine. */
const staysHere: PlaceInLine = { movable: () => false, goesTo: () => false };
