import { seeded } from './random.ts';

/** Everything that real servers do wrong, by name. */
export const faultKinds = [
  'rate-limit-1',
  'rate-limit-120',
  'rate-limit-date',
  'rate-limit-none',
  'spend-limit',
  'server-500',
  'server-503',
  'overloaded-529',
  'refused-connection',
  'hang-before',
  'hang-during',
  'reset',
  'truncation',
  'empty',
  'refusal',
  'bad-json',
  'missing-ids',
  'extra-ids',
  'swapped-ids',
  'duplicated-ids',
  'echo',
  'wrong-language',
  'obey',
] as const;

export type FaultKind = (typeof faultKinds)[number];

export interface FaultPlan {
  seed: number;
  /** Share of calls that go wrong, 0 to 1. */
  faultRate: number;
  /** Which faults, equally likely. */
  faults: readonly FaultKind[];
}

/**
 * The fault of one call depends on its content and on how often it was sent before, not on the order of arrival. A repeated
 * call draws again.
 */
export function chooseFault(plan: FaultPlan, fingerprint: string, attempt: number): FaultKind | undefined {
  if (plan.faults.length === 0 || seeded(plan.seed, 'whether', fingerprint, attempt) >= plan.faultRate)
    return undefined;
  return plan.faults[Math.floor(seeded(plan.seed, 'which', fingerprint, attempt) * plan.faults.length)];
}
