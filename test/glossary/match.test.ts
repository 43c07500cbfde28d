import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findTerms, indexTerms, normalizeForMatching } from '../../src/glossary/match.ts';
import { settleCase } from '../../src/glossary/settle-case.ts';
import { appliedIn, targetText } from '../../src/glossary/term-applied.ts';
import type { Term } from '../../src/term.ts';

function found(text: string, sources: readonly string[], language: string): string[] {
  const index = indexTerms(
    sources.map((source) => ({ source })),
    language,
  );
  return findTerms(text, index).map(
    ({ form, start, end }) => `${form}:${normalizeForMatching(text).slice(start, end)}`,
  );
}

test('Latin terms match whole words with plural and possessive', () => {
  assert.deepEqual(found('The face of Ace, Aces, ACE and Ace’s card', ['Ace'], 'en'), [
    'Ace:Ace',
    'Ace:Ace',
    'Ace:ACE',
    'Ace:Ace',
  ]);
});

test('the longest term wins and what it covers is not matched again', () => {
  assert.deepEqual(found('Alice Kelly met Alice. Kelly left', ['Alice', 'Kelly', 'Alice Kelly'], 'en'), [
    'Alice Kelly:Alice Kelly',
    'Alice:Alice',
    'Kelly:Kelly',
  ]);
  assert.deepEqual(found('甲乙丙丁', ['甲乙', '乙丙丁'], 'zh'), ['乙丙丁:乙丙丁']);
});

test('Slavic names match in their cases, also names of several words', () => {
  assert.deepEqual(
    found('Анну Петрову видели с Сергеем и Марией; Аннотация', ['Анна Петрова', 'Анна', 'Сергей', 'Мария'], 'ru'),
    ['Анна Петрова:Анну Петрову', 'Сергей:Сергеем', 'Мария:Марией'],
  );
  assert.deepEqual(found('Widziałem Annę z Tomaszem', ['Anna', 'Tomasz'], 'pl'), ['Anna:Annę', 'Tomasz:Tomaszem']);
});

test('Korean names match with particles and not inside other words', () => {
  assert.deepEqual(found('민수가 민수에게 민수씨는 소민수 민수라', ['민수'], 'ko'), [
    '민수:민수',
    '민수:민수',
    '민수:민수',
  ]);
});

test('kana terms match whole runs of their script', () => {
  assert.deepEqual(found('アリスはアリスンとさくらんぼを見た。さくらは', ['アリス', 'さくら'], 'ja'), [
    'アリス:アリス',
    'さくら:さくら',
  ]);
});

test('Han terms match inside running text, a single character without certainty', () => {
  const index = indexTerms([{ source: '林小雨' }, { source: '小雨' }, { source: '林' }], 'zh');
  assert.deepEqual(
    findTerms('林小雨走了，小雨说林', index).map(({ form, certain }) => [form, certain]),
    [
      ['林小雨', true],
      ['小雨', true],
      ['林', false],
    ],
  );
});

test('compatibility forms, spaces and apostrophes do not matter', () => {
  assert.deepEqual(found('Ａｌｉｃｅ\nKelly and O’Brien', ['Alice Kelly', "O'Brien"], 'en'), [
    'Alice Kelly:Alice Kelly',
    "O'Brien:O'Brien",
  ]);
});

test('letter case matters where the book also has the ordinary word', () => {
  const term = (source: string, type: Term['type'] = 'person'): Term => ({
    source,
    target: 'x',
    confidence: 1,
    type,
    gender: 'unknown',
    aliases: [],
    occurrences: 0,
    origin: 'supplied',
  });
  const texts = ['You may ask May. May I? She drew on her qi, on all the Qi she had.', 'Rolf came.'];
  const decided = settleCase([term('May'), term('Qi', 'concept'), term('Rolf')], texts, 'en');
  assert.deepEqual(
    decided.map(({ source, caseSensitive }) => [source, caseSensitive]),
    [
      ['May', true],
      ['Qi', false],
      ['Rolf', false],
    ],
  );
  const matches = findTerms(texts[0] ?? '', indexTerms(decided, 'en'));
  assert.deepEqual(
    matches.map(({ form, certain }) => [form, certain]),
    [
      ['May', true],
      ['May', false],
      ['Qi', true],
      ['Qi', true],
    ],
  );
});

test('a rendering counts as applied by its stem', () => {
  const yes: [string, string, string][] = [
    ['Он видел Анну Петрову.', 'Анна Петрова', 'ru'],
    ['Widziałem Annę', 'Anna', 'pl'],
    ['爱丽丝凯利来了', '爱丽丝·凯利', 'zh'],
    ['アリスが来た', 'アリス', 'ja'],
    ['Annalla oli', 'Anna', 'fi'],
    ['JOSE came', 'José', 'en'],
  ];
  const no: [string, string, string][] = [
    ['Он видел её.', 'Анна', 'ru'],
    ['always', 'Al', 'en'],
    ['她来了', '爱丽丝', 'zh'],
    ['Anna came', 'Anna Petrova', 'en'],
  ];
  const termApplied = (text: string, target: string, language: string, partial = false) =>
    appliedIn(targetText(text), target, language, partial);
  for (const [text, target, language] of yes) {
    assert.equal(termApplied(text, target, language), true, `${text} ${target}`);
  }
  for (const [text, target, language] of no)
    assert.equal(termApplied(text, target, language), false, `${text} ${target}`);
  assert.equal(termApplied('Anna came', 'Anna Petrova', 'en', true), true);
});

test('every verbatim word-bounded occurrence is found, and matches never overlap', () => {
  const word = fc.stringMatching(/^[A-Z][a-z]{2,6}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), fc.array(word, { maxLength: 20 }), (terms, words) => {
      const text = words.join(' ');
      const matches = findTerms(
        text,
        indexTerms(
          terms.map((source) => ({ source })),
          'en',
        ),
      );
      for (const [i, match] of matches.entries()) assert.ok(match.end <= (matches[i + 1]?.start ?? text.length));
      const exact = words.filter((one) => terms.includes(one)).length;
      assert.ok(matches.length >= exact);
    }),
  );
});

test('twenty thousand terms over a long text stay fast', () => {
  const terms = Array.from({ length: 20_000 }, (_, i) => ({ source: `Name${i.toString(36)}` }));
  const index = indexTerms(terms, 'en');
  const text = 'Then Nameabc went home with Namee00 and nobody else was there to see it. '.repeat(50);
  const started = process.cpuUsage();
  let count = 0;
  for (let i = 0; i < 100; i++) count += findTerms(text, index).length;
  assert.equal(count, 10_000);
  const usedMs = process.cpuUsage(started).user / 1000;
  assert.ok(usedMs < 2_000, `about 365,000 characters took ${usedMs} ms of the processor`);
});
