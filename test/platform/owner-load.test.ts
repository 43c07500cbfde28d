import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OwnerLoad } from '../../src/platform/owner-load.ts';

function loadAt(): { load: OwnerLoad; wait(ms: number): void } {
  let nowMs = 1_000;
  return {
    load: new OwnerLoad(() => nowMs),
    wait: (ms) => {
      nowMs += ms;
    },
  };
}

test('who uses much is heavy beside somebody who uses much less, and nobody else is', () => {
  const { load } = loadAt();
  load.note('busy', 2_000);
  assert.equal(load.isHeavy('busy'), false, 'alone it takes nothing from anybody');
  load.note('quiet', 30);
  assert.equal(load.isHeavy('busy'), true);
  assert.equal(load.isHeavy('quiet'), false);
  assert.equal(load.isHeavy('new'), false);
  assert.equal(load.isHeavy(undefined), false);
});

test('two who use the same are not heavy to each other', () => {
  const { load } = loadAt();
  load.note('one', 2_000);
  load.note('other', 1_500);
  assert.deepEqual([load.isHeavy('one'), load.isHeavy('other')], [false, false]);
});

test('what was used is forgotten with time, and so is who used it', () => {
  const { load, wait } = loadAt();
  load.note('busy', 2_000);
  load.note('quiet', 30);
  wait(11_000);
  assert.equal(load.isHeavy('busy'), false, 'a quarter and less is left');
  wait(60_000);
  load.note('busy', 2_000);
  assert.equal(load.isHeavy('busy'), false, 'the other one has left');
});
