import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { BookBrief } from '../../src/engines/engine.ts';
import { fitBrief } from '../../src/engines/llm/llm-engine.ts';

const whole: BookBrief = {
  style: 'Plain.',
  background: 'A war.',
  synopsis: 'A walk.',
  sheet: ['Past tense.', 'Ana says du.', 'Voice of Ana: dry.'],
  core: [
    { source: 'Ana', target: 'Ana', type: 'person' },
    { source: 'Turm', target: 'tower', type: 'place' },
  ],
};

test('a brief that fits stays whole; else the story goes first and the wishes of the publisher last', () => {
  assert.equal(
    fitBrief(whole, () => true),
    whole,
  );
  const seen: string[] = [];
  let before = Object.keys(whole);
  const left = fitBrief(whole, (brief) => {
    seen.push(...before.filter((name) => !(name in brief)));
    before = Object.keys(brief);
    return false;
  });
  assert.deepEqual(
    [...seen, ...before.filter((name) => !(name in left))],
    ['synopsis', 'background', 'sheet', 'style'],
  );
  assert.deepEqual(left, { core: [] });
});

test('the tense and the forms of address outlive the voices, and people outlive things', () => {
  const [half] = [fitBrief(whole, ({ sheet = [] }) => sheet.length < 3)];
  assert.deepEqual(half.sheet, ['Past tense.', 'Ana says du.']);
  const people = fitBrief(whole, ({ core }) => core.length < 2);
  assert.deepEqual(
    people.core.map(({ source }) => source),
    ['Ana'],
  );
});
