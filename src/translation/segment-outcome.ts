/** What has become of a segment. */
import type { EngineCapabilities } from '../engines/engine.ts';
import type { EngineError } from '../engines/engine-error.ts';
import type { FaultKind } from './checks/fault.ts';

export type FailureReason = 'policy_blocked' | 'failed_checks' | 'engine_unavailable';

export interface UnitOutcome {
  /** The translation, or the source when it failed. */
  text: string;
  failure?: FailureReason;
  /** What is still wrong with the delivered text. */
  faults: FaultKind[];
  /** How many answers there were, where it was more than one. */
  answers?: number;
  /** An engine refused it before. */
  refused?: true;
}

export type RepairCounts = ReturnType<typeof noRepairs>;

export function noRepairs() {
  return {
    calls: 0,
    retried: 0,
    split: 0,
    single: 0,
    sentences: 0,
    otherEngine: 0,
    tagsProjected: 0,
    tagsApproximated: 0,
  };
}

export type SegmentUsage = ReturnType<typeof noUsage>;

export function noUsage() {
  return { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
}

/** Adds to `sum`, field by field. */
export function addCounts<S extends Record<string, number>>(sum: S, more: Readonly<Record<keyof S, number>>): S {
  for (const key of Object.keys(sum) as (keyof S)[]) (sum[key] as number) += more[key];
  return sum;
}

export function sumRepairs(outcomes: ReadonlyMap<string, SegmentOutcome>): RepairCounts {
  return outcomes.values().reduce((sum, { repairs }) => addCounts(sum, repairs), noRepairs());
}

export function sumUsage(outcomes: ReadonlyMap<string, SegmentOutcome>): SegmentUsage {
  return outcomes.values().reduce((sum, { usage }) => addCounts(sum, usage), noUsage());
}

export interface SegmentOutcome {
  /** In the order of the units. */
  units: UnitOutcome[];
  repairs: RepairCounts;
  usage: SegmentUsage;
  /** Absent = standard; otherwise the least that an answer to this segment was. */
  quality?: NonNullable<EngineCapabilities['quality']>;
  /** Why an engine could not be reached, when that left a unit without translation. */
  unavailable?: EngineError;
}
