import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inlineTagsNest, inlineTagsOf, stripInlineTags } from '../../src/inline-tags.ts';
import { projectTags } from '../../src/project-tags.ts';

test('tags go back where their text is found again, else to the same place in the text', () => {
  const cases: [string, string, string][] = [
    ['I saw <1>Alice</1> there.', 'Ich sah Alice dort.', 'Ich sah <1>Alice</1> dort.'],
    ['It was <1>very</1> cold.', 'Es war sehr kalt.', 'Es war <1>sehr</1> kalt.'],
    ['See<1/> below.', 'Siehe<1/> unten.', 'Siehe<1/> unten.'],
    ['a <1>b</1> c', 'x <1>y</1> <7>z', 'x <1>y</1> z'],
  ];
  for (const [source, translation, expected] of cases)
    assert.equal(projectTags(source, translation, 'de').text, expected);
});

test('a translation with sound tags is left as it is, in any order', () => {
  const source = 'He saw <1>the <2>old</2> lamp</1><3/> there.';
  const translation = 'Dort<3/> sah er <1>die <2>alte</2> Lampe</1>.';
  assert.deepEqual(projectTags(source, translation), { text: translation, approximated: 0, repairs: 0 });
});

test('unknown, repeated, unclosed and crossing tags are put right with no pair and no word lost', () => {
  const source = 'a <1>b</1> <2>c</2>';
  const cases: [string, number][] = [
    ['x <9>y</9> <1>z</1>', 4],
    ['<1>x</1> <1>y</1>', 4],
    ['<1>x <2>y</2>', 1],
    ['<1>x <2>y</1> z</2>', 1],
    ['x', 4],
  ];
  for (const [translation, repairs] of cases) {
    const projected = projectTags(source, translation);
    assert.equal(projected.repairs, repairs, translation);
    assert.equal(stripInlineTags(projected.text), stripInlineTags(translation));
    assert.deepEqual(inlineTagsOf(projected.text), inlineTagsOf(source));
  }
});

test('a footnote anchor that vanished comes back near its place, between words', () => {
  const source = 'The tide goes out<1/>, the tide comes in.';
  const { text } = projectTags(source, 'Die Flut geht hinaus, die Flut kommt herein.', 'de');
  assert.equal(text, 'Die Flut geht hinaus<1/>, die Flut kommt herein.');
  assert.equal(projectTags('a<1/>', '').text, '<1/>');
});

test('a tag around a term goes to the term', () => {
  const renderings = new Map([['Alice', '爱丽丝']]);
  assert.equal(
    projectTags('Then <1>Alice</1> left the house.', '随后爱丽丝离开了家。', 'zh', renderings).text,
    '随后<1>爱丽丝</1>离开了家。',
  );
});

test('whatever an engine makes of the tags, none is lost, all nest, and no word changes', () => {
  const token = fc.constantFrom(
    'word',
    ' ',
    '你好',
    '。',
    '<1>',
    '</1>',
    '<2>',
    '</2>',
    '<3/>',
    '<4/>',
    '<5>',
    '</5>',
    ', ',
  );
  const sources = fc.constantFrom(
    'a <1>b <2>c</2> d</1> e<3/> f',
    '<1>x</1><2>y</2> z<4/>',
    'one<3/> two <5>three</5> four',
    '<1><2><5>deep</5></2></1>',
    'none at all',
  );
  fc.assert(
    fc.property(sources, fc.array(token, { maxLength: 25 }), (source, tokens) => {
      const translation = tokens.join('');
      const { text } = projectTags(source, translation, 'en');
      assert.deepEqual(inlineTagsOf(text), inlineTagsOf(source));
      assert.ok(inlineTagsNest(text), text);
      assert.equal(stripInlineTags(text), stripInlineTags(translation));
    }),
  );
});
