import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { SilenceCounter } from '../../src/platform/watchdog.ts';

/** Checks until one names a loop, while `signs` are heard before each; undefined when none of a hundred does. */
function silentLoop(counter: SilenceCounter, signs?: (check: number) => Record<string, number>): string | undefined {
  for (let check = 0; check < 100; check++) {
    if (signs) counter.hear(signs(check));
    const loop = counter.check();
    if (loop !== undefined) return loop;
  }
  return undefined;
}

test('loops that go round are left alone, also those that go round rarely', () => {
  const rarely = (check: number) => ({ short: check, book: Math.floor(check / 8) });
  assert.equal(silentLoop(new SilenceCounter(), rarely), undefined);
});

test('one loop that stands still is named while others go round', () => {
  const signs = (check: number) => ({ short: check, book: check, webhooks: 7 });
  assert.equal(silentLoop(new SilenceCounter(), signs), 'webhooks');
});

test('a process that sends no signs at all is named by its event loop, whatever its loops did last', () => {
  const counter = new SilenceCounter();
  for (let check = 0; check < 9; check++) counter.hear({ short: 1 });
  assert.equal(silentLoop(counter), 'event loop');
});

test('a pause of the machine is no silence: what is heard after it counts', () => {
  const counter = new SilenceCounter();
  const afterPause = (check: number) => ({ short: check });
  for (let pause = 0; pause < 5; pause++) {
    for (let check = 0; check < 9; check++) assert.equal(counter.check(), undefined);
    counter.hear(afterPause(pause));
  }
});
