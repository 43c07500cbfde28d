/** Names are mined within bounds of memory, however many different words a text has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mineNames } from '../../src/glossary/mine/mine.ts';

test('a hostile text of words that never repeat', () => {
  const word = (n: number) => `Q${n.toString(26).replace(/[0-9]/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '')}`;
  // Separators of two kinds, so that words stand alone and in runs.
  const texts = Array.from(
    { length: 1_000 },
    (_, p) => `so ${Array.from({ length: 500 }, (_, i) => word(p * 500 + i)).join(p % 2 === 0 ? ' ' : ' and ')}.`,
  );
  const before = process.memoryUsage().heapUsed;
  assert.ok(mineNames(texts, 'en').candidates.length <= 2_000);
  const grown = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  assert.ok(grown < 500, `${grown} MB`);
});
