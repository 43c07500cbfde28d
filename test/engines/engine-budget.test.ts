import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Engine } from '../../src/engines/engine.ts';
import { createEngineBudget, type EngineBudget, type Reserve } from '../../src/engines/routing/engine-budget.ts';

const million = 1_000_000_000_000n;
const noon = Date.parse('2026-11-18T12:00:00Z');

/** One unit of money a day; a call of 1,000 characters costs at most 0.008 before one was seen. */
function budgetOf(clock: { at: number }, onRoom?: () => void): EngineBudget {
  const prices = { input: 1, output: 1, cachedInput: 1, cacheWrite: 1 };
  return createEngineBudget({ budgetPerDay: 1, prices } as unknown as Engine, () => clock.at, onRoom) as EngineBudget;
}

const size = { lane: 'translate', characters: 1_000 };

test('calls on their way are held against the budget, and end it only when they have cost something', () => {
  const budget = budgetOf({ at: noon });
  const ends: ((cost: bigint | undefined) => void)[] = [];
  while (budget.hasRoom()) ends.push(budget.sent(size));
  assert.ok(ends.length > 50 && ends.length < 200, `${ends.length} calls at once`);
  assert.equal(budget.unavailableForMs(), 0, 'they may turn out to be cheap');
  for (const end of ends) end(0n);
  assert.ok(budget.hasRoom() && !budget.isUsedUp);
  let spent = 0n;
  while (budget.hasRoom()) {
    budget.sent(size)(million / 20n);
    spent += million / 20n;
  }
  assert.ok(spent <= million && spent >= (million * 9n) / 10n, `${spent} was spent`);
  assert.ok(budget.isUsedUp);
});

test('it is over until the next day of UTC begins', () => {
  const clock = { at: noon };
  const budget = budgetOf(clock);
  for (let i = 0; i < 10; i++) budget.sent(size)(million / 10n);
  assert.equal(budget.unavailableForMs(), 12 * 3_600_000);
  clock.at = Date.parse('2026-11-19T00:00:00Z');
  assert.equal(budget.unavailableForMs(), 0);
  assert.ok(!budget.isUsedUp);
});

/** As the database does it: one order at a time. */
function pot(): { taken: bigint; reserve: Reserve } {
  const shared = {
    taken: 0n,
    reserve: async ({ budget, wanted }: Parameters<Reserve>[0]) => {
      const rest = budget - shared.taken;
      const granted = wanted < rest ? wanted : rest;
      shared.taken += granted;
      return { granted, left: budget - shared.taken };
    },
  };
  return shared;
}

test('several processes together spend no more than the budget, and nearly all of it', async () => {
  const clock = { at: noon };
  const shared = pot();
  const processes = [budgetOf(clock), budgetOf(clock), budgetOf(clock)];
  for (const each of processes) each.share(shared.reserve);
  let spent = 0n;
  for (let round = 0; round < 1_000 && !processes.every((each) => each.isUsedUp); round++) {
    for (const [i, each] of processes.entries())
      for (let calls = 0; calls <= i && each.hasRoom(); calls++) {
        each.sent(size)(million / 500n);
        spent += million / 500n;
      }
    await Promise.all(processes.map((each) => each.renew()));
    assert.ok(spent <= shared.taken && shared.taken <= million, `${spent} of ${shared.taken}`);
  }
  assert.ok(processes.every((each) => each.isUsedUp && each.unavailableForMs() > 0));
  assert.ok(spent > (million * 9n) / 10n, `${spent} was spent`);
});

test('who waits is told as soon as there is more; who is idle or ends gives back what is not spent', async () => {
  const clock = { at: noon };
  const shared = pot();
  const told = Promise.withResolvers<void>();
  const budget = budgetOf(clock, () => told.resolve());
  budget.share(shared.reserve);
  assert.ok(!budget.hasRoom() && !budget.isUsedUp, 'nothing is held yet');
  await told.promise;
  assert.ok(budget.hasRoom());
  budget.sent(size)(million / 1_000n);
  await budget.renew();
  assert.ok(shared.taken > million / 1_000n, 'it was used a moment ago');
  await budget.renew();
  assert.equal(shared.taken, million / 1_000n);
  assert.ok(!budget.hasRoom());
  await budget.renew();
  assert.ok(budget.hasRoom() && shared.taken > million / 1_000n);
  const end = budget.sent(size);
  await budget.release();
  assert.ok(shared.taken > million / 1_000n, 'a call is on its way');
  end(0n);
  await budget.release();
  assert.equal(shared.taken, million / 1_000n);
});

test('what the others have taken ends the day for a process that never called', async () => {
  const shared = pot();
  const idle = budgetOf({ at: noon });
  idle.share(shared.reserve);
  shared.taken = million;
  assert.ok(!idle.isUsedUp);
  await idle.renew();
  assert.ok(idle.isUsedUp);
});

test('a day that begins brings a budget; without a database nothing is spent', async () => {
  const clock = { at: Date.parse('2026-11-18T23:59:59Z') };
  const shared = pot();
  const budget = budgetOf(clock);
  budget.share(shared.reserve);
  shared.taken = million;
  await budget.renew();
  assert.ok(budget.isUsedUp);
  clock.at += 2_000;
  shared.taken = 0n;
  assert.ok(!budget.isUsedUp && !budget.hasRoom());
  await budget.renew();
  assert.ok(budget.hasRoom());
  budget.share(async () => Promise.reject(new Error('away')));
  assert.ok(!budget.hasRoom());
  await assert.rejects(budget.renew(), /away/u);
  assert.ok(!budget.hasRoom());
});

test('a longer call is held with what it may cost, by the dearest one so far', () => {
  const budget = budgetOf({ at: noon });
  budget.sent(size)(million / 250n);
  let calls = 0;
  for (; budget.hasRoom(); calls++) budget.sent({ ...size, characters: 40_000 });
  // 0.004 for 1,000 characters is half of what was expected at most: 0.164 for 40,000, and half as much again on top of half.
  assert.ok(calls >= 6 && calls <= 9, `${calls} calls at once`);
});

test('without prices or without a budget nothing is limited', () => {
  assert.equal(createEngineBudget({ budgetPerDay: 1 } as unknown as Engine, Date.now), undefined);
});
