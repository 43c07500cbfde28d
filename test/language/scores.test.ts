import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { bleu, chrF, tokenizerFor } from '../../src/language/scores.ts';

const translation = [
  'The lamp went out, and nobody spoke for 12.5 minutes.',
  '“Who is there?” she asked.',
  'The mill-wheel turned again.',
];
const reference = [
  'The lamp went out and no one spoke for 12.5 minutes.',
  '“Who goes there?” she asked.',
  'The wheel of the mill turned again.',
];

function near(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 0.01, `${actual} is not ${expected}`);
}

test('BLEU and chrF2 of a text are those of sacreBLEU, and say how they were computed', () => {
  const one = bleu(translation, reference);
  near(one.score, 50.55);
  assert.equal(one.signature, 'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp');
  const characters = chrF(translation, reference);
  near(characters.score, 73.9);
  assert.equal(characters.signature, 'nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no');
});

test('the same text scores 100, another one 0, and lines must match', () => {
  assert.equal(Math.round(bleu(reference, reference).score), 100);
  assert.equal(chrF(reference, reference).score, 100);
  assert.equal(bleu(['x'], ['y']).score, 0);
  assert.equal(chrF([''], ['y']).score, 0);
  near(chrF(['aa'], ['ab']).score, 25);
  near(chrF(['a', 'b'], ['a', 'c']).score, 50);
  assert.throws(() => bleu(['x', 'y'], ['x']), RangeError);
});

test('an order of which nothing matches is counted as half a match, the next as a quarter', () => {
  // 2 of 3 words, none of 2 pairs, none of 1 triple, and no run of four at all.
  assert.equal(bleu(['one two four'], ['one six four']).score, 0);
  const four = bleu(['one two three four'], ['one two six four']).score;
  near(four, 100 * Math.exp((Math.log(3 / 4) + Math.log(1 / 3) + Math.log(1 / 4) + Math.log(1 / 4)) / 4));
});

/** Figures computed with sacreBLEU itself, with the tokenizer of each language. */
const { files, made_with } = JSON.parse(
  readFileSync(new URL('fixtures/sacrebleu-scores.json', import.meta.url), 'utf8'),
) as {
  made_with: string;
  files: (Record<'name' | 'language' | 'bleu_signature', string> &
    Record<'translation' | 'reference', string[]> &
    Record<'bleu' | 'chrf', number>)[];
};

test('files in five languages score as sacreBLEU scores them, to a hundredth, with its signature', () => {
  assert.equal(files.length, 6);
  const [, version] = made_with.split(' ');
  for (const { language, translation, reference, ...expected } of files) {
    const { score, signature } = bleu(translation, reference, tokenizerFor(language));
    near(score, expected.bleu);
    assert.equal(`${signature}|version:${version}`, expected.bleu_signature, expected.name);
    near(chrF(translation, reference).score, expected.chrf);
  }
});
