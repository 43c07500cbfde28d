import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../src/errors.ts';
import { canonicalGlossary, combineTerms, parseGlossary } from '../../src/glossary/glossary.ts';
import { glossaryCsv } from '../../src/glossary/glossary-csv.ts';
import { steerLongForms } from '../../src/glossary/name-rendering.ts';
import type { Term } from '../../src/term.ts';

function detailsOf(work: () => unknown): { code: string; details: Record<string, unknown> | undefined } {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, details: error.details };
    throw error;
  }
  throw new Error('nothing was thrown');
}

function extracted(source: string, target: string, more: Partial<Term> = {}): Term {
  return {
    source,
    target,
    confidence: 0.8,
    type: 'person',
    gender: 'unknown',
    aliases: [],
    occurrences: 5,
    origin: 'extracted',
    ...more,
  };
}

test('a glossary value is a rendering or an object with its properties', () => {
  const terms = parseGlossary(
    '{"Alice": "爱丽丝", "Ｂｏｂ": {"target": "鲍勃", "type": "person", "gender": "male", "aliases": ["Bobby"], "case_sensitive": true, "note": "a sailor"}}',
  );
  assert.deepEqual(
    terms.map(({ source, target, gender, aliases, caseSensitive, note }) => [
      source,
      target,
      gender,
      aliases,
      caseSensitive,
      note,
    ]),
    [
      ['Alice', '爱丽丝', 'unknown', [], undefined, undefined],
      ['Bob', '鲍勃', 'male', ['Bobby'], true, 'a sailor'],
    ],
  );
});

test('every malformed glossary is refused with a stable reason and its place', () => {
  const cases: [unknown, string, Record<string, unknown>][] = [
    ['{"a": "b",}', 'GLOSSARY_MALFORMED_JSON', { position: 10 }],
    ['{"a": "b"', 'GLOSSARY_MALFORMED_JSON', { position: 9 }],
    ['', 'GLOSSARY_MALFORMED_JSON', { position: 0 }],
    ['[1]', 'GLOSSARY_NOT_AN_OBJECT', {}],
    ['null', 'GLOSSARY_NOT_AN_OBJECT', {}],
    ['{"a": 3}', 'GLOSSARY_TERM_INVALID', { key: 'a' }],
    ['{"a": ""}', 'GLOSSARY_TERM_INVALID', { key: 'a', property: 'target' }],
    ['{" ": "x"}', 'GLOSSARY_TERM_INVALID', { key: ' ' }],
    ['{"a": {"target": "x", "typ": "person"}}', 'GLOSSARY_TERM_INVALID', { key: 'a', property: 'typ' }],
    ['{"a": {"target": "x", "gender": "m"}}', 'GLOSSARY_TERM_INVALID', { key: 'a', property: 'gender' }],
    ['{"a": {"target": "x", "aliases": "b"}}', 'GLOSSARY_TERM_INVALID', { key: 'a', property: 'aliases' }],
    [`{"${'a'.repeat(1_025)}": "x"}`, 'GLOSSARY_TERM_TOO_LONG', { key: 'a'.repeat(200) }],
    ['{"A": "x", "Ａ": "y"}', 'GLOSSARY_DUPLICATE_TERM', { key: 'Ａ' }],
  ];
  for (const [input, reason, place] of cases) {
    const { code, details } = detailsOf(() => parseGlossary(input));
    assert.equal(code, 'BAD_REQUEST', String(input));
    assert.equal(details?.field, 'glossary');
    assert.equal(details?.reason, reason, String(input));
    for (const [key, value] of Object.entries(place)) assert.equal(details?.[key], value, `${String(input)} ${key}`);
  }
});

test('a key that is there twice is refused, whatever stands inside the values', () => {
  const inner = '{"target": "x", "aliases": ["{\\"a\\":", "]}", "\\\\"]}';
  for (const text of [`{"a": ${inner}, "b": ${inner}, "a": "y"}`, '{"\\u0061": "x", "a": "y"}'])
    assert.equal(detailsOf(() => parseGlossary(text)).details?.key, 'a', text);
  assert.equal(parseGlossary(`{"a": ${inner}, "target": ${inner}, "aliases": "y"}`).length, 3);
});

test('more bytes than allowed is too large, more terms than allowed is a bad request', () => {
  assert.equal(detailsOf(() => parseGlossary(`{"a": "${'x'.repeat(1_048_576)}"}`)).code, 'PAYLOAD_TOO_LARGE');
  const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`t${i}`, 'x']));
  assert.equal(detailsOf(() => parseGlossary(many)).details?.reason, 'GLOSSARY_TOO_MANY_TERMS');
});

test('terms cannot smuggle lines into a prompt', () => {
  assert.deepEqual(
    parseGlossary('{"a\\nb": "c\\u2028 d"}').map(({ source, target }) => [source, target]),
    [['a b', 'c d']],
  );
});

test('the canonical form does not depend on key order or on the short form', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.string({ minLength: 1 }).filter((key) => key.normalize('NFKC').trim() !== '' && !/^\p{C}+$/u.test(key)),
        { maxLength: 8 },
      ),
      (keys) => {
        const normalized = new Set(
          keys.map((key) =>
            key
              .normalize('NFKC')
              .replace(/[\s\p{Cc}]+/gu, ' ')
              .trim(),
          ),
        );
        fc.pre(normalized.size === keys.length && !normalized.has(''));
        const forward = parseGlossary(JSON.stringify(Object.fromEntries(keys.map((key) => [key, 'x']))));
        const backward = parseGlossary(
          JSON.stringify(Object.fromEntries(keys.toReversed().map((key) => [key, { target: 'x' }]))),
        );
        assert.equal(canonicalGlossary(forward), canonicalGlossary(backward));
      },
    ),
  );
});

test('merge combines and supplied terms win by normalised source and by alias', () => {
  const supplied = parseGlossary({ Alice: 'Алиса', 'Old Tom': { target: 'Старый Том', aliases: ['Tommy'] } });
  const found = [extracted('ALICE', 'Элис'), extracted('Tommy', 'Томми'), extracted('Rosa', 'Роза')];
  assert.deepEqual(
    combineTerms(supplied, found).map(({ source, target }) => [source, target]),
    [
      ['Alice', 'Алиса'],
      ['Old Tom', 'Старый Том'],
      ['Rosa', 'Роза'],
    ],
  );
});

test('a short name that its long form has corrected stays corrected, whichever comes first', () => {
  const long = extracted('Merrick Mandeville', 'Merik Mandevil', { type: 'person', confidence: 0.9, occurrences: 9 });
  const short = extracted('Mandeville', 'Sargen', { type: 'person', confidence: 0.4, occurrences: 3 });
  for (const terms of [
    [long, short],
    [short, long],
  ])
    assert.deepEqual(
      steerLongForms(terms)
        .map(({ source, target }) => `${source}: ${target}`)
        .sort(),
      ['Mandeville: Mandevil', 'Merrick Mandeville: Merik Mandevil'],
    );
});

test('a supplied short name steers the long form', () => {
  const cases: [string, string, string, string, string | undefined][] = [
    ['Alice', '爱丽丝', 'Alice Kelly', '艾丽斯·凯莉', '爱丽丝·凯莉'],
    ['Kelly', '凯利', 'Alice Kelly', '艾丽斯·凯莉', '艾丽斯·凯利'],
    ['小雨', 'Xiao Yu', '林小雨', 'Lin Xiaoyu', 'Lin Xiao Yu'],
    ['アリス', 'Alicia', 'アリス・ケリー', 'Alice Kelly', 'Alicia Kelly'],
    // No place for it in the rendering: the long form goes, so that the short name is found inside it.
    ['Alice', '爱丽丝', 'Alice Kelly', '凯莉小姐姐', undefined],
  ];
  for (const [short, shortTarget, long, longTarget, expected] of cases) {
    const terms = combineTerms(parseGlossary({ [short]: shortTarget }), [extracted(long, longTarget)]);
    assert.equal(terms.find((term) => term.source === long)?.target, expected, long);
    assert.equal(terms.find((term) => term.source === short)?.target, shortTarget);
  }
});

test('supplied terms learn type and gender from the book and keep their rendering', () => {
  const [term] = combineTerms(parseGlossary({ Alice: 'Алиса' }), [extracted('Alice', 'Элис', { gender: 'female' })]);
  assert.deepEqual([term?.target, term?.gender, term?.type], ['Алиса', 'female', 'person']);
});

test('the same word in two cases stays two terms', () => {
  const terms = parseGlossary({ May: 'Мэй', may: 'может' });
  assert.deepEqual(
    terms.map(({ source, caseSensitive }) => [source, caseSensitive]),
    [
      ['May', true],
      ['may', true],
    ],
  );
});

test('the CSV quotes by RFC 4180 and no cell starts a formula', () => {
  const csv = glossaryCsv([
    extracted('=cmd()', 'say "hi", you'),
    extracted('@a', 'line\nbreak', { aliases: ['x', 'y'] }),
  ]);
  assert.equal(
    csv,
    'source,target,type,gender,aliases,occurrences,confidence,origin,note\r\n' +
      '\'=cmd(),"say ""hi"", you",person,unknown,,5,0.8,extracted,\r\n' +
      '\'@a,"line\nbreak",person,unknown,x; y,5,0.8,extracted,\r\n',
  );
});
