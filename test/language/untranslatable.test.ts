import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasWords, isHouseAddress } from '../../src/language/untranslatable.ts';

test('web addresses, mail addresses and formulas have no words to translate', () => {
  const lines = [
    'https://example.org/a?b=c',
    'www.example.org',
    'ferry@example.org',
    'example.org/books/17',
    'doi:10.1000/182',
    'E = mc²',
    'Ｅ＝ｍｃ²',
    'x^2 + y^2 = z^2',
    'sin x + cos y = 1',
    '$M \\times N$',
    '\\[ a_1 = \\frac{1}{2} \\]',
    '1848',
    '* * *',
  ];
  for (const line of lines) assert.equal(hasWords(line), false, line);
});

test('a line with a word around such a thing is translated', () => {
  const lines = [
    'See https://example.org',
    'Mail: ferry@example.org',
    'I + you',
    'He is = she',
    'Was?',
    '如图：a=b',
    'O!',
  ];
  for (const line of lines) assert.equal(hasWords(line), true, line);
});

test('the address of a house is known by its street and number, and a date is none', () => {
  const houses = [
    '12, rue de la Paix, 75002 Paris',
    '221B Baker Street, London NW1 6XE',
    'Bahnhofstraße 12, 8001 Zürich',
    'Невский проспект, д. 12, кв. 4',
  ];
  for (const line of houses) assert.equal(isHouseAddress(line), true, line);
  for (const line of ['Am 4. Mai 1812', 'Chapter 4', 'Er wohnte Bahnhofstraße 12', 'Rue de la Paix', 'Der 4. Platz'])
    assert.equal(isHouseAddress(line), false, line);
});
