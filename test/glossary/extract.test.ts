import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canJudgeByPassages, planPassages } from '../../src/glossary/candidate-passages.ts';
import { type FoundTerm, reduceTerms } from '../../src/glossary/extract.ts';
import { composeBrief, planExtraction } from '../../src/glossary/extraction-plan.ts';
import { mineNames } from '../../src/glossary/mine/mine.ts';
import { estimateTokens } from '../../src/language/estimate-tokens.ts';
import { cast, makeNovel } from '../translation/novel.ts';

function person(source: string, target: string, gender: FoundTerm['gender'] = 'unknown'): FoundTerm {
  return { source, target, type: 'person', gender, aliases: [] };
}

test('the majority decides a rendering and a tie goes to the first seen', () => {
  const text = 'Alice came. Alice left. Rosa too, Rosa.';
  const chunk = (a: string, r: string): { text: string; terms: FoundTerm[] } => ({
    text,
    terms: [person('Alice', a), person('Rosa', r)],
  });
  const terms = reduceTerms([chunk('Элис', 'Роза'), chunk('Алиса', 'Роса'), chunk('Алиса', 'Рося')], [text], 'en');
  assert.deepEqual(Object.fromEntries(terms.map(({ source, target }) => [source, target])), {
    Alice: 'Алиса',
    Rosa: 'Роза',
  });
  const [alice] = terms;
  assert.ok((alice?.confidence ?? 0) > 0 && (alice?.confidence ?? 0) < 1);
  assert.equal(alice?.occurrences, 2);
});

test('invented sources, pronouns, sentences and lower-case names are rejected', () => {
  const text = 'Alice saw the old captain. She waved. Alice smiled at the captain.';
  const terms = reduceTerms(
    [
      {
        text,
        terms: [
          person('Alice', 'Алиса'),
          person('Bob', 'Боб'),
          person('She', 'Она'),
          person('captain', 'капитан'),
          { ...person('Alice saw. She', 'x'), type: 'other' },
          { ...person('waved', 'x'), type: 'concept' },
        ],
      },
    ],
    [text],
    'en',
  );
  assert.deepEqual(
    terms.map(({ source }) => source),
    ['Alice'],
  );
});

test('a title is no part of a name', () => {
  const text = 'Captain Voss spoke. Voss was tired. Lady Ambra came, and Lady Ambra left.';
  const terms = reduceTerms(
    [
      {
        text,
        terms: [person('Captain Voss', 'Kapitän Voss'), person('Voss', 'Voss'), person('Lady Ambra', 'Frau Ambra')],
      },
    ],
    [text],
    'en',
  );
  assert.deepEqual(terms.map(({ source, target }) => [source, target]).sort(), [
    ['Ambra', 'Ambra'],
    ['Voss', 'Voss'],
  ]);
});

test('short forms stay terms of their own, are linked, and agree with the long form', () => {
  const text = 'Alice Kelly met Alice. Alice laughed, Alice cried. Alice Kelly left.';
  const terms = reduceTerms(
    [{ text, terms: [person('Alice Kelly', '艾丽斯·凯利'), person('Alice', '爱丽丝')] }],
    [text],
    'en',
  );
  const long = terms.find(({ source }) => source === 'Alice Kelly');
  const short = terms.find(({ source }) => source === 'Alice');
  assert.deepEqual(long?.aliases, ['Alice']);
  assert.ok(short !== undefined && long?.target.includes(short.target), `${long?.target} ${short?.target}`);
});

test('contradictory genders are recorded and unknown is not a vote', () => {
  const text = 'Kim sang. Kim danced.';
  const vote = (gender: FoundTerm['gender']): { text: string; terms: FoundTerm[] } => ({
    text,
    terms: [person('Kim', 'Ким', gender)],
  });
  const [majority] = reduceTerms(
    [vote('female'), vote('unknown'), vote('unknown'), vote('female'), vote('male')],
    [text],
    'en',
  );
  assert.equal(majority?.gender, 'female');
  assert.match(majority?.conflicts?.join() ?? '', /gender: female 2, male 1/);
  assert.equal(reduceTerms([vote('female'), vote('male')], [text], 'en')[0]?.gender, 'unknown');
});

test('statistics find names in every script', () => {
  const cases: [string, string[], string[]][] = [
    [
      'en',
      [
        'But Alice Kelly ran. Then Alice stopped.',
        '“No,” said Alice. Captain Voss saw Alice Kelly and Voss.',
        'May I ask? You may ask, Alice.',
      ],
      ['Alice', 'Alice Kelly', 'Voss'],
    ],
    ['ja', ['アリス・ケリーは笑った。', 'アリスさんと田中さんが来た。', 'アリスと田中先生。'], ['アリス', '田中']],
    ['ko', ['민수가 왔다. 민수는 웃었다.', '민수를 보았다. 민수씨의 집'], ['민수']],
    [
      'zh-Hans',
      [
        '林小雨走进房间，林小雨笑了。',
        '“林小雨，快来！”有人喊。',
        '可是林小雨没有回答，大家看着林小雨。',
        '夜里风大，林小雨睡着了，月亮升起。',
      ],
      ['林小雨'],
    ],
    ['ru', ['Тогда Марина ушла. Но Марина вернулась.', 'Я видел, как Марина плакала.'], ['Марина']],
  ];
  for (const [language, texts, names] of cases) {
    const found = mineNames(texts, language).candidates.map(({ source }) => source);
    for (const name of names) assert.ok(found.includes(name), `${language}: ${name} not in ${found.join(' ')}`);
  }
});

test('extraction chunks cover the whole text in order within 10,000 tokens and fill whole waves', () => {
  const sections = Array.from({ length: 30 }, (_, s) =>
    Array.from({ length: 40 }, (_, p) => `Paragraph ${s}.${p} ${'word '.repeat(60)}`),
  );
  const chunks = planExtraction(sections, [], { language: 'en', concurrency: 8 });
  assert.equal(chunks.map(({ text }) => text).join('\n'), sections.flat().join('\n'));
  for (const { text } of chunks) assert.ok(estimateTokens(text) <= 10_000);
  const whole = planExtraction([['词'.repeat(45_000)]], [], { language: 'zh', concurrency: 1 });
  assert.equal(whole.map(({ text }) => text).join(''), '词'.repeat(45_000));
});

test('names are judged by passages: each once, with its family, letter for letter, for a fraction of the book', () => {
  const sections = makeNovel(300_000).sections.map(({ blocks }) => blocks.map(({ text }) => text));
  const names = mineNames(sections.flat(), 'en');
  const characters = sections.flat().join('').length;
  assert.ok(canJudgeByPassages(characters, names.candidates));
  const chunks = planPassages(sections, names, { language: 'en', concurrency: 32, characters });
  const asked = chunks.flatMap(({ candidates, doubtful = [] }) => [...candidates, ...doubtful]);
  assert.equal(new Set(asked).size, asked.length, 'nobody is asked about twice');
  for (const { source } of names.candidates) assert.ok(asked.includes(source), source);
  for (const { candidates, text } of chunks) for (const one of candidates) assert.ok(text.includes(one), one);
  const chunkOf = (name: string) => chunks.findIndex(({ candidates }) => candidates.includes(name));
  const apart = cast.filter(({ full, last }) => Math.abs(chunkOf(full) - chunkOf(last)) > 1);
  assert.deepEqual(apart, [], 'a full name and its parts are in one call or in the next');
  assert.equal(
    chunks.reduce((sum, chunk) => sum + (chunk.characters ?? 0), 0),
    characters,
    'together they stand for the whole book',
  );
  assert.ok(chunks.reduce((sum, { text }) => sum + text.length, 0) < characters * 0.15);
});

test('a short text and a book whose names statistics do not see are read whole', () => {
  const { candidates: names } = mineNames(
    makeNovel(60_000).sections.flatMap(({ blocks }) => blocks.map(({ text }) => text)),
    'en',
  );
  assert.ok(canJudgeByPassages(60_000, names));
  assert.ok(!canJudgeByPassages(20_000, names));
  assert.ok(!canJudgeByPassages(600_000, names.slice(0, 10)));
});

test('a name that occurs once is asked about, also at the start of a sentence; a word that the book has in small letters is not', () => {
  const texts = [
    'Then she met Delia Marsh at last, perhaps by accident. Marsh laughed. Corwin did not.',
    'Perhaps it was Miss Marsh who saw Delia and Kester, and then they fled to Gretna Green, and so Pen had to come.',
    'The old pen was on the green.',
  ];
  const { candidates, rare } = mineNames(texts, 'en');
  const all = [...candidates, ...rare].map(({ source }) => source);
  for (const name of ['Delia Marsh', 'Kester', 'Corwin', 'Gretna Green', 'Pen'])
    assert.ok(all.includes(name), `${name} in ${all}`);
  assert.ok(!all.includes('Perhaps') && !all.includes('Then'), `${all}`);
});

test('the brief keeps its limits', () => {
  const chunks = Array.from({ length: 12 }, (_, index) => ({
    index,
    text: '',
    sections: [index, index + 1],
    candidates: [],
  }));
  const brief = composeBrief(
    chunks,
    chunks.map(() => 'A long digest of what happened here. '.repeat(20)),
    13,
  );
  assert.ok(brief.synopsis.length > 200 && [...brief.synopsis].length <= 500);
  assert.equal(brief.digests.length, 13);
  for (const digest of brief.digests) assert.ok([...digest].length <= 200);
});
