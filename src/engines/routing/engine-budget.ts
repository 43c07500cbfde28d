/**
 * What an engine may spend in a day of UTC, kept before it is passed. A process spends only what it holds: it reserves portions
 * of the budget where all processes do. A call is sent only while what is held covers this call and those on their way, each at
 * its dearest.
 */
import { costOf } from '../call-cost.ts';
import type { Engine } from '../engine.ts';
import type { CallSize } from './stragglers.ts';

export type EngineBudget = NonNullable<ReturnType<typeof createEngineBudget>>;

/** Takes from what is left of a day, at most what there is; below 0 gives back. In millionths of a millionth, as all costs. */
export type Reserve = (order: {
  day: string;
  budget: bigint;
  wanted: bigint;
}) => Promise<{ granted: bigint; left: bigint }>;

const unit = 1_000_000;
/** Of the budget: so much is reserved at once, and lost until the next day when a process is killed. */
const portions = 50n;

/**
 * @param now in milliseconds since 1970
 * @param onRoom calls that wait may be sent now
 * @returns undefined for an engine without a budget or without prices
 */
export function createEngineBudget({ budgetPerDay, prices }: Engine, now: () => number, onRoom: () => void = () => {}) {
  if (budgetPerDay === undefined || prices === undefined) return undefined;
  const budget = BigInt(Math.round(budgetPerDay * unit)) * BigInt(unit);
  let reserve: Reserve | undefined;
  let day = dayOf(now());
  /** Reserved and not spent; alone, all of it is held. */
  let held = budget;
  /** For others and for us, as far as we know. */
  let left = 0n;
  let onTheWay = 0n;
  let asked: Promise<void> = Promise.resolve();
  let isWanting = false;
  let wasUsed = false;
  /** Characters of the longest call so far. */
  let longest = 0;
  /** The dearest call so far, in thousandths of what its size let us expect. */
  let dearest = 0n;

  const beginDay = (): void => {
    day = dayOf(now());
    held = reserve === undefined ? budget : 0n;
    left = reserve === undefined ? 0n : budget;
    isWanting = false;
  };
  const today = (): void => {
    if (dayOf(now()) !== day) beginDay();
  };
  /** More tokens than its text can need. */
  const expected = (characters: number): bigint =>
    costOf(
      { inputTokens: 2 * characters + 3_000, cachedInputTokens: 0, outputTokens: 2 * characters + 1_000 },
      prices,
    ) || 1n;
  /** Half as much again as the dearest call so far would have cost at this size. */
  const mostOf = (characters: number): bigint =>
    dearest === 0n ? expected(characters) : (expected(characters) * dearest * 3n) / 2_000n;
  const most = (): bigint => mostOf(longest || usualCharacters);
  const isUsedUp = (): boolean => {
    today();
    // What is on its way may turn out to be cheap: only what is spent ends the day.
    return held + left < most();
  };

  const shortOf = (): boolean => held - onTheWay < most();
  const unused = (): bigint => (held > onTheWay ? held - onTheWay : 0n);
  const wanted = (): bigint => {
    const portion = budget / portions;
    return onTheWay + (portion > most() ? portion : most()) - held;
  };
  /** An amount given back is not held from then on. A grant whose answer is lost is nobody's. So never more is held than there is. */
  const ask = async (amount: bigint): Promise<void> => {
    if (reserve === undefined) return;
    const askedOn = day;
    if (amount < 0n) held += amount;
    const answer = await reserve({ day, budget, wanted: amount });
    today();
    if (day !== askedOn) return;
    left = answer.left;
    if (amount > 0n) held += answer.granted;
  };
  /** One question at a time, each with the amount of its moment. */
  const askNext = (amount: () => bigint): Promise<void> => {
    const answered = asked.then(() => ask(amount()));
    asked = answered.catch(() => {});
    return answered;
  };
  const settled = (): void => {
    isWanting = shortOf();
    onRoom();
  };
  const askForMore = (): void => {
    // What was refused, or found no database, is asked for again with the next `renew`.
    if (isWanting) return;
    isWanting = true;
    askNext(wanted).then(settled, () => {});
  };

  return {
    get isUsedUp() {
      return isUsedUp();
    },
    /** Milliseconds until the next day when no further call may be sent; 0 = one may. */
    unavailableForMs: () => (isUsedUp() ? Math.max(1, Date.parse(`${day}T24:00:00Z`) - now()) : 0),
    /** One more call fits beside those on their way. If not, more is reserved, and `onRoom` is called when there is. */
    hasRoom() {
      today();
      if (shortOf()) {
        if (reserve !== undefined) askForMore();
        return false;
      }
      isWanting = false;
      return true;
    },
    /** @returns what is called at the end of the call, with its cost */
    sent({ characters }: CallSize) {
      longest = Math.max(longest, characters);
      const reserved = mostOf(characters);
      onTheWay += reserved;
      wasUsed = true;
      return (cost = 0n): void => {
        onTheWay -= reserved;
        const ratio = (cost * 1_000n) / expected(characters);
        if (ratio > dearest) dearest = ratio;
        today();
        // A call of the evening before counts where it ended, as in the costs.
        held -= cost;
      };
    },
    /** From now on other processes spend of the same budget. */
    share(given: Reserve) {
      reserve = given;
      beginDay();
    },
    /** Learns what is left, takes what calls wait for, and gives back what nobody has used since the last time. */
    async renew() {
      today();
      const isIdle = !wasUsed && onTheWay === 0n && !isWanting;
      wasUsed = false;
      await askNext(() => (isWanting ? wanted() : isIdle ? -unused() : 0n));
      if (isWanting) settled();
    },
    /** Gives everything back that is not spent. */
    async release() {
      today();
      await askNext(() => -unused());
    },
  };
}

/** Before the first call. */
const usualCharacters = 6_000;

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
