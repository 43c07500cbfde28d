import type { FaultKind } from './faults.ts';

export interface SimulatedCall {
  protocol: 'openai' | 'anthropic' | 'google';
  task: 'translate' | 'extract' | 'sheet' | 'edit' | 'unknown';
  fault: FaultKind | undefined;
  /** What was asked for: the text of the lines, or the text of an extraction. */
  fingerprint: string;
  /** The caller asked for schema-constrained output. */
  schema: boolean;
  tools: boolean;
  /** Instructions and data, as the model reads them. */
  promptCharacters: number;
  /** The whole request body, JSON escapes and schema included. */
  bodyCharacters: number;
  sourceCharacters: number;
  lines: number;
  inputTokens: number;
  outputTokens: number;
  idealOutputTokens: number;
  instructions: string;
  data: string;
  /** Characters at the beginning that an earlier prompt of the same kind began with: what a provider can take from its cache. */
  repeatedCharacters: number;
}

export interface CallTotals {
  calls: number;
  /** Served without a fault. */
  good: number;
  rejectedForCapacity: number;
  /** Most calls served at once. */
  highWater: number;
  /** The caller went away before the answer was complete. */
  abandoned: number;
  promptCharacters: number;
  sourceCharacters: number;
  inputTokens: number;
  outputTokens: number;
  idealOutputTokens: number;
}

/** One call as another process sees it. */
export interface BriefCall
  extends Pick<
    SimulatedCall,
    'task' | 'fault' | 'fingerprint' | 'promptCharacters' | 'repeatedCharacters' | 'outputTokens'
  > {
  /** Milliseconds since 1970. */
  arrivedAt: number;
  /** Undefined while it is being served. */
  endedAt: number | undefined;
  /** The caller went away before the answer was complete. */
  abandoned: boolean;
}

export interface CallLog {
  /** Kept in order of arrival, without the calls turned away for capacity. */
  calls: readonly SimulatedCall[];
  /** Times of arrival of every call, those turned away included, by `performance.now()`. */
  arrivals: readonly number[];
  totals(): CallTotals;
  brief(): BriefCall[];
  reset(): void;
  /** @param arrivedAt by `performance.now()` */
  started(
    call: Omit<SimulatedCall, 'repeatedCharacters'>,
    active: number,
    arrivedAt: number,
  ): (abandoned: boolean) => void;
  rejectedForCapacity(active: number): void;
}

export function createCallLog(): CallLog {
  const calls: SimulatedCall[] = [];
  const arrivals: number[] = [];
  const brief: BriefCall[] = [];
  let rejected = 0;
  let highWater = 0;
  let abandoned = 0;
  const total = (
    field: 'promptCharacters' | 'sourceCharacters' | 'inputTokens' | 'outputTokens' | 'idealOutputTokens',
  ) => calls.reduce((sum, call) => sum + call[field], 0);
  return {
    calls,
    arrivals,
    totals: () => ({
      calls: calls.length + rejected,
      good: calls.filter((call) => call.fault === undefined).length,
      rejectedForCapacity: rejected,
      highWater,
      abandoned,
      promptCharacters: total('promptCharacters'),
      sourceCharacters: total('sourceCharacters'),
      inputTokens: total('inputTokens'),
      outputTokens: total('outputTokens'),
      idealOutputTokens: total('idealOutputTokens'),
    }),
    brief: () => brief,
    reset() {
      calls.length = 0;
      brief.length = 0;
      arrivals.length = 0;
      rejected = 0;
      highWater = 0;
      abandoned = 0;
    },
    started(call, active, arrivedAt) {
      const { task, fault, fingerprint, promptCharacters, outputTokens } = call;
      const repeatedCharacters = repeatedAtFront(call, calls);
      calls.push({ ...call, repeatedCharacters });
      const known = { task, fault, fingerprint, promptCharacters, repeatedCharacters, outputTokens };
      const clockedAt = Math.round(performance.timeOrigin + arrivedAt);
      const told: BriefCall = { ...known, arrivedAt: clockedAt, endedAt: undefined, abandoned: false };
      brief.push(told);
      arrivals.push(arrivedAt);
      highWater = Math.max(highWater, active);
      return (gone) => {
        told.endedAt = Date.now();
        told.abandoned = gone;
        if (gone) abandoned += 1;
      };
    },
    rejectedForCapacity() {
      rejected += 1;
      arrivals.push(performance.now());
    },
  };
}

/** Providers forget after minutes; the last few prompts of the kind show what they would find. */
const rememberedPrompts = 64;

function repeatedAtFront(
  { task, instructions, data }: Pick<SimulatedCall, 'task' | 'instructions' | 'data'>,
  before: readonly SimulatedCall[],
): number {
  let longest = 0;
  for (const other of before.slice(-rememberedPrompts)) {
    if (other.task !== task) continue;
    let length = sameAtFront(instructions, other.instructions);
    if (length === instructions.length && length === other.instructions.length) length += sameAtFront(data, other.data);
    longest = Math.max(longest, length);
  }
  return longest;
}

function sameAtFront(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let length = 0;
  while (length < shorter && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}
