import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Engine } from '../../src/engines/engine.ts';
import { createEngineBudget, type EngineBudget } from '../../src/engines/routing/engine-budget.ts';

const million = 1_000_000_000_000n;
const noon = Date.parse('2026-11-18T12:00:00Z');

/** One unit of money a day; a call of 1,000 characters costs at most 0.008 before one was seen. */
function budgetOf(clock: { at: number }): EngineBudget {
  const prices = { input: 1, output: 1, cachedInput: 1, cacheWrite: 1 };
  return createEngineBudget({ budgetPerDay: 1, prices } as unknown as Engine, () => clock.at) as EngineBudget;
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

test('several processes share what is left, and what is written counts once', () => {
  const day = '2026-11-18';
  const budget = budgetOf({ at: noon });
  budget.sent(size)(million / 10n);
  // Half is spent, by whomever; two processes have a quarter each.
  budget.renew({ day, spent: million / 2n, unwritten: 0n, processes: 2 });
  budget.sent(size)(million / 10n);
  assert.ok(!budget.isUsedUp);
  budget.sent(size)(million / 10n);
  assert.ok(budget.isUsedUp);
  budget.renew({ day, spent: (million * 7n) / 10n, unwritten: 0n, processes: 1 });
  assert.ok(!budget.isUsedUp);
  budget.renew({ day, spent: (million * 7n) / 10n, unwritten: (million * 2n) / 10n, processes: 1 });
  assert.ok(budget.isUsedUp);
  budget.renew({ day: '2026-11-17', spent: 0n, unwritten: 0n, processes: 1 });
  assert.ok(budget.isUsedUp, 'what another day has cost says nothing');
});

test('without prices or without a budget nothing is limited', () => {
  assert.equal(createEngineBudget({ budgetPerDay: 1 } as unknown as Engine, Date.now), undefined);
});
