import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packTexts, unpackTexts } from '../../src/documents/packed-texts.ts';

test('packed texts give back every text by its id, empty ones too, and nothing for the rest', () => {
  const entries = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.string({ unit: 'grapheme' })), {
    selector: ([number]) => number,
  });
  fc.assert(
    fc.property(entries, (found) => {
      const texts = new Map(found.map(([number, text]) => [`b${number}`, text]));
      const unpacked = unpackTexts(structuredClone(packTexts(texts)));
      assert.equal(unpacked.size, texts.size);
      for (let number = 1; number <= 61; number++)
        assert.equal(unpacked.get(`b${number}`), texts.get(`b${number}`), `b${number}`);
    }),
  );
});
