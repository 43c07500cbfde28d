import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repairInline } from '../../src/documents/markup/inline-repair.ts';
import { inlineTagsNest, inlineTagsOf, stripInlineTags } from '../../src/inline-tags.ts';

test('a translation with sound tags is left as it is, in any order', () => {
  const source = 'He saw <1>the <2>old</2> lamp</1><3/> there.';
  const translation = 'Dort<3/> sah er <1>die <2>alte</2> Lampe</1>.';
  assert.deepEqual(repairInline(translation, source), { text: translation, dropped: 0, restored: 0, lostPairs: [] });
});

test('unknown, repeated, unclosed and crossing tags are dropped with no word lost', () => {
  const source = 'a <1>b</1> <2>c</2>';
  assert.equal(repairInline('x <9>y</9> <1>z</1>', source).text, 'x y <1>z</1>');
  assert.equal(repairInline('<1>x</1> <1>y</1>', source).text, '<1>x</1> y');
  assert.equal(repairInline('<1>x <2>y</2>', source).text, 'x <2>y</2>');
  assert.equal(repairInline('<1>x <2>y</1> z</2>', source).text, '<1>x y</1> z');
  assert.deepEqual(repairInline('x', source).lostPairs, [1, 2]);
});

test('a footnote anchor that vanished comes back near its place, between words', () => {
  const source = 'The tide goes out<1/>, the tide comes in.';
  const repaired = repairInline('Die Flut geht hinaus, die Flut kommt herein.', source);
  assert.equal(repaired.restored, 1);
  assert.match(repaired.text, /^Die Flut geht hinaus<1\/>, die Flut kommt herein\.$/);
  assert.equal(repairInline('', 'a<1/>').text, '<1/>');
});

test('whatever an engine returns, words are kept and tags nest and are of the source', () => {
  const piece = fc.constantFrom('<1>', '</1>', '<2>', '</2>', '<3/>', '<4/>', '<9>', 'word ', '字', '👩‍👧', '. ');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const translation = pieces.join('');
      const { text } = repairInline(translation, 'one <1>two <2>three</2></1> <3/> four <4/>');
      assert.equal(stripInlineTags(text), stripInlineTags(translation));
      assert.ok(inlineTagsNest(text), text);
      const tags = inlineTagsOf(text);
      assert.equal(new Set(tags).size, tags.length, text);
      assert.ok(tags.includes('<3/>') && tags.includes('<4/>'));
    }),
  );
});
