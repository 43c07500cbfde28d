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

export interface RepairCounts {
  calls: number;
  retried: number;
  split: number;
  single: number;
  sentences: number;
  otherEngine: number;
  tagsProjected: number;
  tagsApproximated: number;
}

export interface SegmentOutcome {
  /** In the order of the units. */
  units: UnitOutcome[];
  repairs: RepairCounts;
  usage: { inputTokens: number; outputTokens: number; cachedInputTokens: number };
  /** Absent = standard; otherwise the least that an answer to this segment was. */
  quality?: NonNullable<EngineCapabilities['quality']>;
  /** Why an engine could not be reached, when that left a unit without translation. */
  unavailable?: EngineError;
}
