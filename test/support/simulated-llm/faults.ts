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
 * The fault of one call, by what it asks for and how often it was asked before: the same for every order of arrival,
 * and a repeated call meets a new draw.
 */
export function chooseFault(plan: FaultPlan, fingerprint: string, attempt: number): FaultKind | undefined {
  if (plan.faults.length === 0 || seeded(plan.seed, 'whether', fingerprint, attempt) >= plan.faultRate)
    return undefined;
  return plan.faults[Math.floor(seeded(plan.seed, 'which', fingerprint, attempt) * plan.faults.length)];
}
