import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readLines, readParagraph } from '../../src/engines/llm/answer-lines.ts';
import { readTerms } from '../../src/engines/llm/answer-terms.ts';
import { readAnswer } from '../../src/engines/llm/judge-answer.ts';

/** Lines of no book: only their number counts. */
const lines = (count: number): string[] => Array.from({ length: count }, () => 'Zeile.');
const read = (answer: string, count = 3, isCut = false): Record<string, string> =>
  Object.fromEntries(readLines(answer, { sources: lines(count), isCut }));

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
    ['numbers in brackets', JSON.stringify(['[1] One.', '[2] Two "quoted".\nAnd on.', '[3] Three.'])],
    ['full-width numbers', JSON.stringify(['１ One.', '２ Two "quoted".\nAnd on.', '３ Three.'])],
    ['no numbers, and as many texts', JSON.stringify({ t: Object.values(whole) })],
    ['line and text', JSON.stringify([1, 2, 3].map((line) => ({ line, text: whole[line as 1 | 2 | 3] })))],
    [
      'number and translation',
      JSON.stringify([1, 2, 3].map((number) => ({ number, translation: whole[number as 1] }))),
    ],
    [
      'the source beside it',
      JSON.stringify([1, 2, 3].map((id) => ({ id, text: 'Eins.', translation: whole[id as 1] }))),
    ],
    ['counted from 0', JSON.stringify([0, 1, 2].map((index) => ({ index, text: whole[(index + 1) as 1] })))],
    [
      'the number once more in the text',
      JSON.stringify([1, 2, 3].map((id) => ({ id, text: `${id} ${whole[id as 1]}` }))),
    ],
    [
      'an answer inside an echoed schema',
      JSON.stringify({ properties: { t: ['1 One.', '2 Two "quoted".\nAnd on.', '3 Three.'] } }),
    ],
    ['thoughts in brackets', `[THINK]{"t":["1 decoy"]}[/THINK]${json}`],
    [
      'the channels of gpt-oss',
      `<|channel|>analysis<|message|>1 decoy<|end|><|channel|>final<|message|>${json}<|return|>`,
    ],
    ['a first try in the open', `Maybe {"t":["1 decoy","2 decoy"]}? No: ${json}`],
    [
      'a model that goes on as the next speaker',
      `${json}<|im_end|>\n<|im_start|>user\n{"t":["1 decoy","2 decoy","3 decoy"]}`,
    ],
  ] as const) {
    test(title, () => assert.deepEqual(read(answer), whole));
  }

  test('numbers without a space before Chinese', () => {
    assert.deepEqual(read('{"t":["1他说。","2她笑。"]}'), { 1: '他说。', 2: '她笑。' });
  });
  for (const form of [
    '1 x',
    '1. x',
    '1: x',
    '1) x',
    '[1] x',
    '(1) x',
    'Line 1: x',
    '1、x',
    '**1.** x',
    '１ x',
    '第1行：x',
  ])
    test(`plain lines such as "${form}"`, () => {
      const line = (n: number, text: string): string =>
        form
          .replace('１', String.fromCodePoint(0xff10 + n))
          .replace('1', String(n))
          .replace('x', text);
      const answer = `Here you are:\n\n${line(1, 'One.')}\n${line(2, 'Two.')}\n\n${line(3, 'Three.')}\n\nEnjoy!`;
      assert.deepEqual(read(answer), { 1: 'One.', 2: 'Two.', 3: 'Three.' });
    });
});

describe('only what is certain is taken', () => {
  test('numbers that were not asked for are dropped where all others are there, and no number is believed where not', () => {
    assert.deepEqual(read('{"t":["1 One.","2 Two.","3 Three.","9 Nine."]}'), { 1: 'One.', 2: 'Two.', 3: 'Three.' });
    assert.deepEqual(read('{"t":["1 One.","9 Nine.","0 Zero."]}'), {});
    assert.deepEqual(read('{"t":["2 One.","3 Two.","4 Three."]}'), {}, 'shifted by one');
    assert.deepEqual(read('[{"id":0,"text":"One."},{"id":1,"text":"Two."}]'), {}, 'half of a list from 0');
  });
  test('a line that begins with "3 men" is a line', () => {
    assert.deepEqual(read('{"t":["3 men came.","They sat.","1 left."]}'), {
      1: '3 men came.',
      2: 'They sat.',
      3: '1 left.',
    });
    assert.deepEqual(read('{"t":["1.5 miles on.","1,000 men.","1st of May."]}'), {
      1: '1.5 miles on.',
      2: '1,000 men.',
      3: '1st of May.',
    });
  });
  test('a number that one line has lost makes that line missing, and no other', () => {
    assert.deepEqual(read('{"t":["1 One.","Two.","3 Three."]}'), { 1: 'One.', 3: 'Three.' });
  });
  test('a number given twice with different texts is dropped, with the same text kept', () => {
    assert.deepEqual(read('{"t":["1 One.","1 Uno.","2 Two.","2 Two."]}'), { 2: 'Two.' });
  });
  test('empty records are missing', () => {
    assert.deepEqual(read('{"t":["1 ","2 Two."]}'), { 2: 'Two.' });
  });
  test('strings without numbers are matched by position only when none is missing and nothing was cut', () => {
    assert.deepEqual(read('{"t":["One.","Two."]}'), {});
    assert.deepEqual(read('{"source":["A.","B.","C."],"target":["One.","Two.","Three."]}'), {}, 'which list?');
    assert.deepEqual(read('{"t":["One.","Two.","Three."', 3, true), {});
  });
  test('nothing inside or before an unclosed thought is text of a book', () => {
    assert.deepEqual(read('<think>1 One.\n2 Two.\n3 Three.'), {});
    assert.deepEqual(read('<think>\nThe lines: {"t":["1 One.","2 Two.","3 Three."]}', 3, true), {});
    assert.deepEqual(read('{"t":["1 One.","2 Two.","3 Three."]}\n<think>wait, ', 3, true), {});
    assert.deepEqual(read('[THINK]1 One. 2 Two.', 3, true), {});
    assert.deepEqual(read('<|channel|>analysis<|message|>{"t":["1 One.","2 Two.","3 Three."]}', 3, true), {});
  });
  test('a book that speaks of such marks keeps them', () => {
    const sources = ['Sie tippte <think> ein.'];
    const answer = '{"t":["1 She typed <think>."]}';
    assert.deepEqual([...readLines(answer, { sources })], [[1, 'She typed <think>.']]);
  });
  test('plain lines are not read from an answer that was cut, nor when a number is doubled or missing', () => {
    assert.deepEqual(read('1 One.\n2 Two.\n3 Three.', 3, true), {});
    assert.deepEqual(read('1 One.\n2 Two.'), {});
    assert.deepEqual(read('1 I read.\n2 I think.\n3 I write.\n\n1 One.\n2 Two.\n3 Three.'), {});
  });
  test('a line that goes on without a number makes its record missing', () => {
    assert.deepEqual(read('1 One.\n2 Two.\n(as in the original)\n3 Three.'), { 1: 'One.', 3: 'Three.' });
  });
  test('of an answer that was cut while it was still talking nothing is taken', () => {
    assert.deepEqual(read('I would write {"t":["1 One.","2 Two.","3 Three."]} but the', 3, true), {});
    assert.deepEqual(read('Okay, so {"t":["1 One.","2 Two.","3', 3, true), {});
  });
  test('lines and rules of the prompt are no translation', () => {
    const prompt = {
      instructions: 'Translate a novel as natural prose. Reply only with JSON.',
      brief: '',
      data: 'Text:\n1 Ja.\n2 Nein.\nTranslate lines 1-2.',
    };
    const asked = { prompt, sources: ['Ja.', 'Nein.'], isCut: false };
    assert.deepEqual([...readAnswer('{"t":["1 Translate lines 1-2.","2 No."]}', asked)], [[2, 'No.']]);
    assert.deepEqual(
      [...readAnswer('["1 He said: Translate a novel as natural prose.","2 No."]', asked)],
      [[2, 'No.']],
    );
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
          for (const [number, text] of readLines(cut, { sources: lines(texts.length), isCut: true }))
            assert.equal(text, texts[number - 1]);
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
          assert.deepEqual([...readLines(answer, { sources: lines(texts.length) }).values()], texts);
        },
      ),
      { numRuns: 1_000, seed: 8 },
    );
  });
});

describe('one paragraph in plain text', () => {
  const source = 'Der Regen fiel.';
  for (const [title, answer] of [
    ['alone', 'The rain fell.'],
    ['in a fence', '```text\nThe rain fell.\n```'],
    ['below a heading', 'Here is the translation:\n\nThe rain fell.'],
    ['behind a label', '**Translation:** The rain fell.'],
    ['between tags', '<translation>The rain fell.</translation>'],
    ['behind its number', '1 The rain fell.'],
    ['between quotation marks', '"The rain fell."'],
    ['above a note', 'The rain fell.\n\nNote: "Regen" is rain.'],
    ['behind a thought', '<think>Rain?</think>The rain fell.'],
    ['as JSON', '{"t":["1 The rain fell."]}'],
  ] as const)
    test(title, () => assert.equal(readParagraph(answer, source), 'The rain fell.'));

  test('two versions, several lines, an open thought, a cut answer or our own prompt are no paragraph', () => {
    assert.equal(readParagraph('The rain fell.\n\nRain was falling.', source), undefined);
    assert.equal(readParagraph('The rain fell.\nIt was late.', source), undefined);
    assert.equal(readParagraph('<think>The rain fell.', source), undefined);
    const prompt = {
      instructions: 'Translate a novel as natural prose.',
      brief: '',
      data: `Text:\n1 ${source}\nTranslate line 1.`,
    };
    const asked = { prompt, sources: [source], isPlain: true };
    assert.equal(readAnswer('The rain', { ...asked, isCut: true }).size, 0);
    assert.equal(readAnswer('Text:\nThe rain fell.', { ...asked, isCut: false }).size, 0);
  });
  test('what the source has stays: line breaks, quotation marks, a number, a colon', () => {
    assert.equal(readParagraph('One,\ntwo.', 'Eins,\nzwei.'), 'One,\ntwo.');
    assert.equal(readParagraph('“Come!”', '„Komm!“'), '“Come!”');
    assert.equal(readParagraph('1 man came.', '1 Mann kam.'), '1 man came.');
    assert.equal(readParagraph('He said:', 'Er sagte:'), 'He said:');
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
  test('a glossary inside a thought is none', () => {
    const entry = '{"terms":[{"s":"李明","t":"Li Ming","k":"person","g":"m","a":[]}],"d":""}';
    assert.equal(readTerms(`<think>${entry}`, request), undefined);
    assert.deepEqual(readTerms(`<think>{"terms":[]}</think>${entry}`, request)?.terms.length, 1);
  });
  test('prose is not a glossary', () => assert.equal(readTerms('No names here.', request), undefined));
});
