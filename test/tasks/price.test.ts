import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  chargeOnCancel,
  chargeOnCompletion,
  estimateOf,
  extractedCharacters,
  holdOf,
  isPaidBefore,
  type Order,
} from '../../src/tasks/price.ts';
import { actionNames } from '../../src/tasks/task.ts';

const order = (action: Order['action'], rest: Partial<Order> = {}): Order => ({
  action,
  charLimit: undefined,
  glossaryStrategy: 'merge',
  ...rest,
});

test('what is shown and held, by action', () => {
  const counted = 1_000;
  const table: [Order, shown: number, heldLive: number][] = [
    [order('translation'), 1_000, 1_000],
    [order('translation', { estimatedChars: 1_200 }), 1_200, 1_200],
    [order('translation', { estimatedChars: 800 }), 1_000, 1_000],
    [order('translation', { charLimit: 5_000, estimatedChars: 9_000 }), 1_000, 1_000],
    [order('preview_translation', { charLimit: 3_000 }), 1_000, 1_000],
    [order('glossary_extraction'), 1_000, 1_000],
    [order('glossary_extraction', { glossaryStrategy: 'skip' }), 1_000, 1_000],
    [order('glossary_extraction', { glossaryStrategy: 'replace', estimatedChars: 9_000 }), 0, 0],
    [order('translation', { glossaryStrategy: 'replace' }), 1_000, 1_000],
    [order('translation', { quotedCredits: 120 }), 120, 120],
    [order('translation', { quotedCredits: 0, estimatedChars: 500 }), 0, 0],
    [order('translation', { rememberedCharacters: 1_000, estimatedChars: 9_000 }), 0, 0],
    [order('preview_translation', { rememberedCharacters: 400, charLimit: 3_000 }), 600, 600],
    [order('translation', { rememberedCharacters: 400, quotedCredits: 700 }), 700, 700],
    [order('token_estimate', { estimatedChars: 9_000 }), 1_000, 0],
    [order('preview_metadata'), 0, 0],
  ];
  for (const [wanted, shown, held] of table) {
    assert.equal(estimateOf(wanted, counted), shown, JSON.stringify(wanted));
    assert.equal(holdOf(wanted, counted, 'live'), held, JSON.stringify(wanted));
    assert.equal(holdOf(wanted, counted, 'test'), 0);
  }
});

test('what is charged at the end, by action and work', () => {
  const task = (action: Order['action'], glossaryStrategy: Order['glossaryStrategy'] = 'merge') => ({
    action,
    glossaryStrategy,
    charCount: 1_000,
  });
  const work = { segments: 400, recalled: 200, paidBefore: 200, extractions: 1_000 };
  const done = (deliveredCharacters: number, reusedCharacters = 0) => ({ deliveredCharacters, reusedCharacters });
  assert.equal(chargeOnCompletion(task('translation'), done(1_000)), 1_000);
  assert.equal(chargeOnCompletion(task('translation'), done(950, 200)), 750);
  assert.equal(chargeOnCompletion(task('glossary_extraction'), done(400)), 400);
  assert.equal(chargeOnCompletion(task('glossary_extraction', 'replace'), done(1_000)), 0);
  assert.equal(chargeOnCompletion(task('token_estimate'), done(0)), 0);
  assert.equal(
    chargeOnCancel(task('translation'), work),
    400,
    'names that were read are not charged with a translation',
  );
  assert.equal(
    chargeOnCancel(task('glossary_extraction'), { ...work, segments: 0, recalled: 0, paidBefore: 0 }),
    1_000,
  );
  assert.equal(chargeOnCancel(task('preview_metadata'), work), 0);
  assert.equal(chargeOnCancel(task('translation'), { ...work, segments: 0, recalled: 0, paidBefore: 0 }), 0);
});

test('an extraction delivers the whole range, or what could be read of it', () => {
  const task = { charCount: 1_000 };
  assert.equal(extractedCharacters(task, { incompleteChunks: 0, readCharacters: 990 }), 1_000);
  assert.equal(extractedCharacters(task, { incompleteChunks: 1, readCharacters: 490 }), 490);
  assert.equal(extractedCharacters(task, { incompleteChunks: 1, readCharacters: 1_490 }), 1_000);
});

test('in a series what is remembered is free; outside of one only a paid preview, to a full run of an account with the setting', () => {
  const full = { seriesId: undefined, charLimit: undefined, creditPreviews: true };
  const preview = { completed: true, creditsCharged: 300, charLimit: 300 };
  assert.ok(isPaidBefore({ ...full, seriesId: 'ser_1', creditPreviews: false }, undefined));
  assert.ok(isPaidBefore(full, preview));
  assert.ok(!isPaidBefore(full, undefined));
  assert.ok(!isPaidBefore({ ...full, creditPreviews: false }, preview));
  assert.ok(!isPaidBefore({ ...full, charLimit: 300 }, preview));
  assert.ok(!isPaidBefore(full, { ...preview, completed: false }));
  assert.ok(!isPaidBefore(full, { ...preview, creditsCharged: 0 }));
  assert.ok(!isPaidBefore(full, { ...preview, charLimit: undefined }));
});

test('whatever was done: no charge is negative, none is above the hold, and finishing more never costs less', () => {
  const amount = fc.nat(10_000);
  const orders = fc.record({
    action: fc.constantFrom(...actionNames),
    charLimit: fc.option(amount, { nil: undefined }),
    estimatedChars: fc.option(amount, { nil: undefined }),
    glossaryStrategy: fc.constantFrom('merge', 'replace', 'skip') as fc.Arbitrary<Order['glossaryStrategy']>,
  });
  fc.assert(
    fc.property(
      orders,
      fc.integer({ min: 1, max: 10_000 }),
      amount,
      amount,
      amount,
      (wanted, charCount, a, b, paid) => {
        const task = { ...wanted, charCount };
        const hold = holdOf(wanted, charCount, 'live');
        const [less, more] = [Math.min(a, b), Math.max(a, b)];
        const paidBefore = Math.min(paid, less);
        const cancelled = (done: number) =>
          chargeOnCancel(task, {
            segments: Math.max(0, done - paidBefore),
            recalled: Math.min(done, paidBefore),
            paidBefore,
            extractions: done,
          });
        const completed = chargeOnCompletion(task, { deliveredCharacters: more, reusedCharacters: paidBefore });
        for (const charge of [cancelled(less), cancelled(more), completed])
          assert.ok(charge >= 0 && charge <= hold, `${charge} of ${hold}`);
        assert.ok(cancelled(less) <= cancelled(more));
        assert.equal(cancelled(more), completed, 'one rule for both ends');
      },
    ),
  );
});
