import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readRecords } from '../../src/engines/llm/answer-records.ts';
import { readTerms } from '../../src/engines/llm/answer-terms.ts';

const read = (answer: string, count = 3): Record<string, string> => Object.fromEntries(readRecords(answer, count));

describe('an answer is read by number, whatever the model wrapped it in', () => {
  const whole = { 1: 'One.', 2: 'Two "quoted".\nAnd on.', 3: 'Three.' };
  const json = JSON.stringify({ t: ['1 One.', '2 Two "quoted".\nAnd on.', '3 Three.'] });

  for (const [title, answer] of [
    ['the format asked for', json],
    ['a code fence', `\`\`\`json\n${json}\n\`\`\``],
    ['a sentence and a fence', `Here is the translation:\n\`\`\`\n${json}\n\`\`\`\nEnjoy!`],
    ['a think block with a decoy', `<think>maybe {"t":["1 decoy"]}</think>\n${json}`],
    ['a think block without its opening', `so I answer\n</think>\n\n${json}`],
    ['a sentence before', `Sure! ${json}`],
    ['an object keyed by number', JSON.stringify(whole)],
    ['objects with id and text', JSON.stringify([1, 2, 3].map((id) => ({ id, text: whole[id as 1 | 2 | 3] })))],
    [
      'one JSON object per line',
      Object.entries(whole)
        .map(([id, text]) => JSON.stringify({ [id]: text }))
        .join('\n'),
    ],
    ['quotes that were not escaped', '{"t":["1 One.","2 Two "quoted".\\nAnd on.","3 Three."]}'],
    ['another order', JSON.stringify({ t: ['3 Three.', '1 One.', '2 Two "quoted".\nAnd on.'] })],
    ['numbers with a point', JSON.stringify({ t: ['1. One.', '2. Two "quoted".\nAnd on.', '3. Three.'] })],
  ] as const) {
    test(title, () => assert.deepEqual(read(answer), whole));
  }

  test('numbers without a space before Chinese', () => {
    assert.deepEqual(read('{"t":["1他说。","2她笑。"]}'), { 1: '他说。', 2: '她笑。' });
  });
  test('plain numbered lines from a model that ignores JSON', () => {
    assert.deepEqual(read('1 One.\n2 Two.\n3 Three.'), { 1: 'One.', 2: 'Two.', 3: 'Three.' });
  });
});

describe('only what is certain is taken', () => {
  test('numbers that were not asked for are dropped', () => {
    assert.deepEqual(read('{"t":["1 One.","9 Nine.","0 Zero."]}'), { 1: 'One.' });
  });
  test('a number given twice with different texts is dropped, with the same text kept', () => {
    assert.deepEqual(read('{"t":["1 One.","1 Uno.","2 Two.","2 Two."]}'), { 2: 'Two.' });
  });
  test('empty records are missing', () => {
    assert.deepEqual(read('{"t":["1 ","2 Two."]}'), { 2: 'Two.' });
  });
  test('strings without numbers are never matched by position', () => {
    assert.deepEqual(read('{"t":["One.","Two.","Three."]}'), {});
  });
  test('prose is not an answer', () => {
    assert.deepEqual(read('I would rather talk about the weather.'), {});
  });

  test('however an answer is cut, what is read is whole', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() !== ''),
          { minLength: 1, maxLength: 8 },
        ),
        fc.nat(),
        (texts, at) => {
          const answer = JSON.stringify({ t: texts.map((text, index) => `${index + 1} ${text}`) });
          const cut = answer.slice(0, 6 + (at % (answer.length - 5)));
          for (const [number, text] of readRecords(cut, texts.length)) assert.equal(text, texts[number - 1]);
        },
      ),
      { numRuns: 2_000, seed: 7 },
    );
  });

  test('a whole answer gives every text back exactly', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() !== ''),
          { minLength: 1, maxLength: 8 },
        ),
        (texts) => {
          const answer = JSON.stringify({ t: texts.map((text, index) => `${index + 1} ${text}`) });
          assert.deepEqual([...readRecords(answer, texts.length).values()], texts);
        },
      ),
      { numRuns: 1_000, seed: 8 },
    );
  });
});

describe('a glossary answer gives its whole entries', () => {
  const request = {
    sourceLang: 'zh-Hans',
    targetLang: 'en',
    text: '李明走上青云山',
    candidates: [],
    known: [{ source: '青云山', target: 'X' }],
  };
  test('terms that are not in the text, known or repeated are dropped', () => {
    const entry = (s: string): object => ({ s, t: 'T', k: 'person', g: 'm', a: ['李', '无'] });
    const answer = JSON.stringify({ terms: [entry('李明'), entry('李明'), entry('青云山'), entry('张三')], d: 'Up.' });
    assert.deepEqual(readTerms(answer, request), {
      terms: [{ source: '李明', target: 'T', type: 'person', gender: 'male', aliases: ['李'] }],
      digest: 'Up.',
    });
  });
  test('a cut answer keeps the entries before the cut', () => {
    const answer = '{"terms":[{"s":"李明","t":"Li Ming","k":"person","g":"?","a":[]},{"s":"青云';
    assert.deepEqual(
      readTerms(answer, request)?.terms.map((term) => term.source),
      ['李明'],
    );
  });
  test('prose is not a glossary', () => assert.equal(readTerms('No names here.', request), undefined));
});
