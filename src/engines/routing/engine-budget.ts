/**
 * What an engine may spend in a day of UTC, kept before it is passed: a call is sent only while what was spent, what the calls on their
 * way may cost and what this one may cost fit together. Several processes share a budget: each uses its part of what is left.
 */
import { costOf } from '../call-cost.ts';
import type { Engine } from '../engine.ts';
import type { CallSize } from './call-durations.ts';

export interface EngineBudget {
  /** Milliseconds until the next day when no further call may be sent; 0 = one may. */
  unavailableForMs(): number;
  readonly isUsedUp: boolean;
  /** One more call fits beside those on their way. */
  hasRoom(): boolean;
  /** Returns what is called at the end of the call, with its cost. */
  sent(size: CallSize): (cost: bigint | undefined) => void;
  /** What all processes have written down, and how many there are. What this process has yet to write is told apart. */
  renew(shared: SharedSpending): void;
}

export interface SharedSpending {
  day: string;
  /** In millionths of a millionth, as all costs. */
  spent: bigint;
  /** Of this process, not part of `spent` yet. */
  unwritten: bigint;
  processes: number;
}

const unit = 1_000_000;

/** @param now in milliseconds since 1970. Undefined for an engine without a budget or without prices. */
export function createEngineBudget({ budgetPerDay, prices }: Engine, now: () => number): EngineBudget | undefined {
  if (budgetPerDay === undefined || prices === undefined) return undefined;
  const budget = BigInt(Math.round(budgetPerDay * unit)) * BigInt(unit);
  let day = dayOf(now());
  /** What this process may still spend, before its calls since then. */
  let allotted = budget;
  let spentHere = 0n;
  let onTheWay = 0n;
  let costliest = 0n;

  /** A day that begins brings the whole budget. */
  const today = (): void => {
    if (dayOf(now()) === day) return;
    day = dayOf(now());
    allotted = budget;
    spentHere = 0n;
  };
  /** Half as much again as the costliest call so far; before there was one, more tokens than its text can need. */
  const mostOf = (characters: number): bigint => {
    const tokens = { inputTokens: 2 * characters + 3_000, cachedInputTokens: 0, outputTokens: 2 * characters + 1_000 };
    return costliest > 0n ? (costliest * 3n) / 2n : costOf(tokens, prices);
  };
  const usualCharacters = 6_000;
  const left = (): bigint => {
    today();
    return allotted - spentHere - mostOf(usualCharacters);
  };

  return {
    get isUsedUp() {
      return left() < 0n;
    },
    // What is on its way may turn out to be cheap: only what is spent ends the day.
    unavailableForMs: () => (left() < 0n ? Math.max(1, Date.parse(`${day}T24:00:00Z`) - now()) : 0),
    hasRoom: () => left() >= onTheWay,
    sent({ characters }) {
      const reserved = mostOf(characters);
      const sentOn = day;
      onTheWay += reserved;
      return (cost = 0n) => {
        onTheWay -= reserved;
        if (cost > costliest) costliest = cost;
        today();
        if (sentOn === day) spentHere += cost;
      };
    },
    renew({ day: of, spent, unwritten, processes }) {
      today();
      if (of !== day) return;
      const rest = budget - spent - unwritten;
      allotted = rest <= 0n ? 0n : rest / BigInt(Math.max(1, processes));
      spentHere = 0n;
    },
  };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
